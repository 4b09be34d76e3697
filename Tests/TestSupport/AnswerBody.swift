/// The body of an ANSWER (Contract §5).
package func answerBody(
    results: String? = nil, items: String = "", cursor: String = #""w2""#, more: String = "false"
) -> String {
    let first = results.map { #""results":[\#($0)],"# } ?? ""
    return #"{\#(first)"items":[\#(items)],"max_updated_at":\#(cursor),"more":\#(more),"epoch":"e","account":"a"}"#
}
