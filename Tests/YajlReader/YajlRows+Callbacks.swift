import CYajl

extension YajlRows {
    /// The functions that yajl calls, each with a pointer to the scan.
    static var callbacks: yajl_callbacks {
        unsafe yajl_callbacks(
            yajl_null: { context in
                unsafe YajlRows.with(context) { $0.scalar(length: 4) }
            },
            yajl_boolean: { context, value in
                unsafe YajlRows.with(context) { $0.scalar(length: value != 0 ? 4 : 5) }
            },
            yajl_integer: nil,
            yajl_double: nil,
            yajl_number: { context, _, length in
                unsafe YajlRows.with(context) { $0.scalar(length: length) }
            },
            yajl_string: { context, pointer, length in
                unsafe YajlRows.with(context) { unsafe $0.string(pointer, length) }
            },
            yajl_start_map: { context in
                unsafe YajlRows.with(context) { $0.open(isObject: true) }
            },
            yajl_map_key: { context, pointer, length in
                unsafe YajlRows.with(context) { unsafe $0.key(pointer, length) }
            },
            yajl_end_map: { context in
                unsafe YajlRows.with(context) { $0.close() }
            },
            yajl_start_array: { context in
                unsafe YajlRows.with(context) { $0.open(isObject: false) }
            },
            yajl_end_array: { context in
                unsafe YajlRows.with(context) { $0.close() }
            })
    }

    @inline(__always)
    private static func with(_ context: UnsafeMutableRawPointer?, _ body: (inout YajlRows) -> Int32) -> Int32 {
        // Zero stops yajl.
        guard let context = unsafe context else { return 0 }
        return unsafe body(&context.assumingMemoryBound(to: YajlRows.self).pointee)
    }
}
