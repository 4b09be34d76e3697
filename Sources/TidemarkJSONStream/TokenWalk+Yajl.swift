import CYajl

extension TokenWalk {
    /// The functions that yajl calls, each with a pointer to the walk. Zero stops yajl.
    static var calls: yajl_callbacks {
        unsafe yajl_callbacks(
            yajl_null: { unsafe TokenWalk.with($0) { $0.scalar() } },
            yajl_boolean: { context, _ in unsafe TokenWalk.with(context) { $0.scalar() } },
            yajl_integer: nil,
            yajl_double: nil,
            yajl_number: { context, _, _ in unsafe TokenWalk.with(context) { $0.number() } },
            yajl_string: { context, _, _ in unsafe TokenWalk.with(context) { $0.string() } },
            yajl_start_map: { unsafe TokenWalk.with($0) { $0.open(isObject: true) } },
            yajl_map_key: { context, pointer, length in
                unsafe TokenWalk.with(context) { unsafe $0.key(UnsafeBufferPointer(start: pointer, count: length)) }
            },
            yajl_end_map: { unsafe TokenWalk.with($0) { $0.close() } },
            yajl_start_array: { unsafe TokenWalk.with($0) { $0.open(isObject: false) } },
            yajl_end_array: { unsafe TokenWalk.with($0) { $0.close() } })
    }

    @inline(__always)
    private static func with(_ context: UnsafeMutableRawPointer?, _ body: (inout TokenWalk) -> Bool) -> Int32 {
        guard let context = unsafe context else { return 0 }
        return unsafe body(&context.assumingMemoryBound(to: TokenWalk.self).pointee) ? 1 : 0
    }
}
