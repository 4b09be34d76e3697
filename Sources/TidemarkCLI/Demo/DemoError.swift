/// Something in the story went otherwise.
struct DemoError: Error, CustomStringConvertible {
    let description: String
}
