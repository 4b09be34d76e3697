/// Ends a request with a problem and its header fields.
struct ServerRefusal: Error {
    var problem: Problem
    var headers: [(String, String)]

    init(_ problem: Problem, headers: [(String, String)] = []) {
        self.problem = problem
        self.headers = headers
    }

    init(_ status: Int, _ code: Problem.Code, _ detail: String, pointer: String? = nil) {
        self.init(Problem(status, code, detail, pointer: pointer))
    }

    var response: ServerResponse {
        ServerResponse(self.problem, headers: self.headers)
    }
}
