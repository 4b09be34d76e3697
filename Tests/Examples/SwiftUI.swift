// The part of SwiftUI that examples use, if SwiftUI is unavailable: an example is type-checked against the same declarations.
#if !canImport(SwiftUI)

    @MainActor protocol View {
        associatedtype Body: View
        @ViewBuilder var body: Body { get }
    }

    extension Never: View {
        var body: Never { preconditionFailure("An example of the documentation is compiled, and never run.") }
    }

    extension View {
        func task(_ action: @escaping @MainActor () async -> Void) -> some View { self }
        func task(id: some Equatable, _ action: @escaping @MainActor () async -> Void) -> some View { self }
        func refreshable(_ action: @escaping @MainActor () async -> Void) -> some View { self }
        func onChange<Value: Equatable>(of value: Value, _ action: @escaping @MainActor () -> Void) -> some View {
            self
        }
        func onChange<Value: Equatable>(
            of value: Value, _ action: @escaping @MainActor (Value, Value) -> Void
        ) -> some View { self }
        func onDisappear(_ action: @escaping @MainActor () -> Void) -> some View { self }
        func id(_ id: some Hashable) -> some View { self }
        func searchable(text: Binding<String>) -> some View { self }
    }

    @MainActor @resultBuilder enum ViewBuilder {
        static func buildBlock<Part: View>(_ part: Part) -> Part { part }
        static func buildBlock<each Part: View>(_ parts: repeat each Part) -> VStack { VStack() }
        static func buildOptional(_ part: VStack?) -> VStack { VStack() }
        static func buildOptional(_ part: (some View)?) -> VStack { VStack() }
        static func buildEither(first part: some View) -> VStack { VStack() }
        static func buildEither(second part: some View) -> VStack { VStack() }
    }

    struct VStack: View {
        fileprivate init() {}
        init(@ViewBuilder content: () -> some View) {}

        var body: Never { preconditionFailure("A stack has no parts.") }
    }

    struct Text: View {
        init(_ text: String) {}

        var body: Never { preconditionFailure("Text has no parts.") }
    }

    struct Button: View {
        init(_ title: String, action: @escaping @MainActor () -> Void) {}

        var body: Never { preconditionFailure("A button has no parts.") }
    }

    struct TextField: View {
        init(_ title: String, text: Binding<String>) {}

        var body: Never { preconditionFailure("A text field has no parts.") }
    }

    struct List<Row: View>: View {
        init<Data: RandomAccessCollection>(_ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Row)
        where Data.Element: Identifiable {}

        init<Data: RandomAccessCollection, ID: Hashable>(
            _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
        ) {}

        var body: Never { preconditionFailure("A list has no parts.") }
    }

    extension List where Row == VStack {
        init(@ViewBuilder content: () -> some View) {}
    }

    struct ForEach<Data: RandomAccessCollection, Row: View>: View where Data.Element: Identifiable {
        init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Row) {}

        var body: Never { preconditionFailure("It has no parts.") }
    }

    @dynamicMemberLookup struct Binding<Value> {
        private let value: Value

        init(get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void) {
            preconditionFailure("An example of the documentation is compiled, and never run.")
        }

        fileprivate init(_ value: Value) { self.value = value }

        subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Binding<Member> {
            Binding<Member>(self.value[keyPath: path])
        }
    }

    @propertyWrapper struct State<Value> {
        private let value: Value

        var wrappedValue: Value {
            get { self.value }
            nonmutating set { _ = newValue }
        }

        var projectedValue: Binding<Value> { Binding(self.value) }

        init(wrappedValue: Value) { self.value = wrappedValue }
    }

    protocol Scene {}

    struct WindowGroup: Scene {
        init(@ViewBuilder content: () -> some View) {}
    }

    extension Scene {
        func onChange<Value: Equatable>(
            of value: Value, _ action: @escaping @MainActor (Value, Value) -> Void
        ) -> some Scene { self }
        func backgroundTask(_ task: BackgroundTask, action: @escaping @Sendable () async -> Void) -> some Scene { self }
    }

    struct BackgroundTask: Sendable {
        static func appRefresh(_ identifier: String) -> BackgroundTask { BackgroundTask() }
    }

    @MainActor protocol App {
        associatedtype Body: Scene
        var body: Body { get }
    }

    enum ScenePhase: Hashable, Sendable { case background, inactive, active }

    struct EnvironmentValues {
        let scenePhase: ScenePhase
    }

    @propertyWrapper struct Environment<Value> {
        let path: KeyPath<EnvironmentValues, Value>

        init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }

        var wrappedValue: Value { preconditionFailure("An example of the documentation is compiled, and never run.") }
    }

    extension State {
        init(initialValue: Value) { self.init(wrappedValue: initialValue) }
    }

#endif
