import TidemarkJSON

/// A question about the records of a collection as the app sees them: a condition and an order.
///
/// ```swift
/// let open = RecordQuery(where: Field.done == false, order: [.ascending("/due")])
/// let page = try await todos.page(open, limit: 50)
/// ```
///
/// A query is a value: compare it, keep it, store it as JSON (`Codable`). Which index it uses is decided when it runs; every
/// record that an index offers is checked again, so a query gives the same records with and without indexes.
///
/// **Order.** missing < null < false < true < numbers < texts < arrays < objects. Numbers compare by their exact decimal value,
/// texts by code point; arrays are equal among themselves, and so are objects. The order looks at the first 512 bytes of a text
/// and the first 512 digits of a number. Records that are equal in the order follow by the UTF-8 bytes of their pk, in the
/// direction of the last order.
public struct RecordQuery: Hashable, Sendable {
    /// The condition; ``Condition/all`` for every record.
    public var condition: Condition

    /// The order, the most significant first; empty for the order of the pks.
    public var order: [Order]

    /// Makes a query.
    public init(where condition: Condition = .all, order: [Order] = []) {
        self.condition = condition
        self.order = order
    }
}

extension RecordQuery {
    /// One part of an order.
    public struct Order: Hashable, Sendable {
        /// The JSON pointer of the member, without `*`.
        public var path: String

        /// Whether larger values come first.
        public var isDescending: Bool

        package init(path: String, isDescending: Bool) {
            self.path = path
            self.isDescending = isDescending
        }

        /// Smaller values first; records without the member are the first.
        public static func ascending(_ path: String) -> Order { Order(path: path, isDescending: false) }

        /// Larger values first; records without the member are the last.
        public static func descending(_ path: String) -> Order { Order(path: path, isDescending: true) }
    }

    /// A place in the records of a query, after which the next page begins: opaque text, which survives a restart.
    public struct Cursor: Hashable, Sendable, Codable, CustomStringConvertible {
        /// The text.
        public let text: String

        /// Takes a text that a page of the same query returned.
        public init(_ text: String) {
            self.text = text
        }

        /// The text.
        public var description: String { self.text }

        /// Reads the text.
        public init(from decoder: any Decoder) throws {
            self.init(try decoder.singleValueContainer().decode(String.self))
        }

        /// Writes the text.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self.text)
        }
    }
}

/// An index of a collection by some members: ordered, kept with each change of a record, and used by queries that test these
/// members.
///
/// ```swift
/// configuration["todos"].indexes = [["/done", "/due"], ["/title"], ["/tags/*"]]
/// ```
public struct RecordIndex: Hashable, Sendable, Codable, ExpressibleByArrayLiteral {
    /// The JSON pointers, the most significant first. One step of one path may be `*`, for each element of an array.
    public var paths: [String]

    /// Makes an index.
    public init(_ paths: [String]) {
        self.paths = paths
    }

    /// Makes an index from a literal.
    public init(arrayLiteral paths: String...) {
        self.init(paths)
    }

    /// Reads an array of JSON pointers.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([String].self))
    }

    /// Writes an array of JSON pointers.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.paths)
    }
}

// Names are compared by code point, as the members of a record are.

extension RecordIndex {
    /// Whether both have the same paths.
    public static func == (left: Self, right: Self) -> Bool {
        left.paths.elementsEqual(right.paths) { $0.hasSameCodePoints(as: $1) }
    }

    /// Feeds the paths.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.paths.map { CodePointString($0) })
    }
}

extension RecordQuery.Order {
    /// Whether both have the same path and direction.
    public static func == (left: Self, right: Self) -> Bool {
        left.path.hasSameCodePoints(as: right.path) && left.isDescending == right.isDescending
    }

    /// Feeds the path and the direction.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(CodePointString(self.path))
        hasher.combine(self.isDescending)
    }
}

extension RecordIndex: CustomStringConvertible {
    /// The paths in brackets.
    public var description: String { "[\(self.paths.joined(separator: ", "))]" }
}
