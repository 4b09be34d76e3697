// The little of SwiftUI that examples use, where there is none: an example is type-checked against the same shapes.
#if !canImport(SwiftUI)

    @MainActor protocol View {
        associatedtype Body: View
        var body: Body { get }
    }

    extension Never: View {
        var body: Never { preconditionFailure("An example of the documentation is compiled, and never run.") }
    }

    extension View {
        func task(_ action: @escaping @MainActor () async -> Void) -> some View { self }
    }

    struct Text: View {
        init(_ text: String) {}

        var body: Never { preconditionFailure("Text has no parts.") }
    }

    struct List<Row: View>: View {
        init<Data: RandomAccessCollection>(_ data: Data, rowContent: @escaping (Data.Element) -> Row)
        where Data.Element: Identifiable {}

        var body: Never { preconditionFailure("A list has no parts.") }
    }

    @propertyWrapper struct State<Value> {
        private let value: Value

        var wrappedValue: Value {
            get { self.value }
            nonmutating set { _ = newValue }
        }

        init(wrappedValue: Value) { self.value = wrappedValue }
    }

    extension State {
        init(initialValue: Value) { self.init(wrappedValue: initialValue) }
    }

#endif
