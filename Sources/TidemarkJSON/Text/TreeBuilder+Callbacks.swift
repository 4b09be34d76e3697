import CYajl

extension TreeBuilder {
    /// The functions that yajl calls, each with a pointer to the builder.
    static var callbacks: yajl_callbacks {
        unsafe yajl_callbacks(
            yajl_null: { context in
                unsafe TreeBuilder.with(context) { $0.add(.null) }
            },
            yajl_boolean: { context, value in
                unsafe TreeBuilder.with(context) { $0.add(.bool(value != 0)) }
            },
            yajl_integer: nil,
            yajl_double: nil,
            yajl_number: { context, pointer, length in
                unsafe TreeBuilder.with(context) { unsafe $0.addNumber(pointer, length) }
            },
            yajl_string: { context, pointer, length in
                unsafe TreeBuilder.with(context) { unsafe $0.addString(pointer, length) }
            },
            yajl_start_map: { context in
                unsafe TreeBuilder.with(context) { $0.open(isObject: true) }
            },
            yajl_map_key: { context, pointer, length in
                unsafe TreeBuilder.with(context) { unsafe $0.addKey(pointer, length) }
            },
            yajl_end_map: { context in
                unsafe TreeBuilder.with(context) { $0.closeObject() }
            },
            yajl_start_array: { context in
                unsafe TreeBuilder.with(context) { $0.open(isObject: false) }
            },
            yajl_end_array: { context in
                unsafe TreeBuilder.with(context) { $0.closeArray() }
            })
    }

    @inline(__always)
    private static func with(
        _ context: UnsafeMutableRawPointer?, _ body: (inout TreeBuilder) -> Int32
    ) -> Int32 {
        // Zero stops yajl.
        guard let context = unsafe context else { return 0 }
        return unsafe body(&context.assumingMemoryBound(to: TreeBuilder.self).pointee)
    }
}
