import TidemarkJSON

/// Smaller variants of a failing input, the largest reduction first.
protocol Shrinkable {
    var smaller: [Self] { get }
}

extension JSON: Shrinkable {
    var smaller: [JSON] {
        switch self.byType {
        case .null: []
        case .bool: [.null]
        case .number(let number): number.text == "0" ? [.null] : [.null, 0]
        case .string(let string): string.source.isEmpty ? [.null] : [.null, ""] + string.smaller.map(JSON.string)
        case .array(let elements): [.null] + elements + JSON.smallerArrays(elements).map(JSON.array)
        case .object(let object): [.null] + object.map(\.value) + JSON.smallerObjects(object).map(JSON.object)
        }
    }

    private static func smallerArrays(_ elements: [JSON]) -> [[JSON]] {
        elements.indices.flatMap { place -> [[JSON]] in
            var without = elements
            without.remove(at: place)
            let replaced = elements[place].smaller.map { smaller in
                var copy = elements
                copy[place] = smaller
                return copy
            }
            return [without] + replaced
        }
    }

    private static func smallerObjects(_ object: JSONObject) -> [JSONObject] {
        object.flatMap { key, value -> [JSONObject] in
            var without = object
            without[key] = nil
            let replaced = value.smaller.map { smaller in
                var copy = object
                copy[key] = smaller
                return copy
            }
            return [without] + replaced
        }
    }
}

extension JSONString: Shrinkable {
    var smaller: [JSONString] {
        let scalars = Array(self.source.unicodeScalars)
        return scalars.indices.compactMap { place in
            var rest = String.UnicodeScalarView()
            rest.append(contentsOf: scalars[..<place])
            rest.append(contentsOf: scalars[(place + 1)...])
            return JSONString(source: String(rest))
        }
    }
}
