import Testing
import TidemarkMachine

@Suite struct RunBudgetTests {
    private func budget(requests: Int? = nil, bytes: Int? = nil) -> RunBudget {
        var plan = RunPlan()
        (plan.requestsPerHour, plan.bytesPerHour) = (requests, bytes)
        return RunBudget(plan)
    }

    @Test func `so many requests an hour, and then no more until the first of them is an hour ago`() {
        var budget = self.budget(requests: 3)
        budget.spend(requests: 2, bytes: 0, at: .seconds(60))
        #expect(!budget.isSpent)
        #expect(budget.renewal == nil)
        budget.spend(requests: 1, bytes: 0, at: .seconds(600))
        #expect(budget.isSpent)
        #expect(budget.renewal == .seconds(3_660))
        budget.pass(to: .seconds(3_659))
        #expect(budget.isSpent)
        budget.pass(to: .seconds(3_660))
        #expect(!budget.isSpent)
        #expect(budget.requests == 1)
    }

    @Test func `so many bytes an hour`() {
        var budget = self.budget(bytes: 1_000)
        budget.spend(requests: 1, bytes: 999, at: .zero)
        #expect(!budget.isSpent)
        budget.spend(requests: 1, bytes: 1, at: .zero)
        #expect(budget.isSpent)
        #expect(budget.bytes == 1_000)
    }

    @Test func `a sync that spent more than all is waited out`() {
        var budget = self.budget(requests: 10)
        budget.spend(requests: 500, bytes: 0, at: .seconds(120))
        #expect(budget.renewal == .seconds(3_720))
    }

    @Test func `a limit of nothing is never renewed`() {
        #expect(self.budget(requests: 0).isSpent)
        #expect(self.budget(requests: 0).renewal == nil)
    }

    @Test func `what was spent at a time that is to come, by a clock that was set back, is forgotten`() {
        var budget = self.budget(requests: 1)
        budget.spend(requests: 1, bytes: 0, at: .seconds(100_000))
        budget.pass(to: .seconds(60))
        #expect(!budget.isSpent)
    }
}
