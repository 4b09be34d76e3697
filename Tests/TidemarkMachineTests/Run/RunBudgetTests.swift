import Testing
import TidemarkMachine

@Suite struct RunBudgetTests {
    private func budget(requests: Int? = nil, bytes: Int? = nil) -> RunBudget {
        var plan = RunPlan()
        (plan.requestsPerHour, plan.bytesPerHour) = (requests, bytes)
        return RunBudget(plan)
    }

    @Test func `a budget of requests is renewed when the first request is an hour ago`() {
        var budget = self.budget(requests: 3)
        budget.spend(requests: 1, bytes: 0, at: .seconds(60))
        #expect(budget.allowance == .everything)
        #expect(budget.renewal == nil)
        budget.spend(requests: 2, bytes: 0, at: .seconds(600))
        #expect(budget.allowance == .nothing)
        #expect(budget.renewal == .seconds(3_660))
        budget.pass(to: .seconds(3_659))
        #expect(budget.allowance == .nothing)
        budget.pass(to: .seconds(3_660))
        #expect(budget.allowance == .ownEdits)
        #expect(budget.requests == 2)
    }

    @Test func `a budget of bytes limits the bytes of an hour`() {
        var budget = self.budget(bytes: 1_000)
        budget.spend(requests: 1, bytes: 899, at: .zero)
        #expect(budget.allowance == .everything)
        budget.spend(requests: 1, bytes: 1, at: .zero)
        #expect(budget.allowance == .ownEdits)
        budget.spend(requests: 1, bytes: 100, at: .zero)
        #expect(budget.allowance == .nothing)
        #expect(budget.bytes == 1_000)
    }

    @Test(arguments: [
        (1, 0), (2, 1), (9, 1), (10, 1), (60, 6), (61, 7), (3_600, 360), (Int.max, Int.max / 10 + 1),
    ])
    func `a tenth of the budget is a reserve for own edits`(limit: Int, reserve: Int) {
        var budget = self.budget(requests: limit)
        budget.spend(requests: limit - reserve - 1, bytes: 0, at: .zero)
        #expect(budget.allowance == .everything)
        budget.spend(requests: 1, bytes: 0, at: .zero)
        #expect(budget.allowance == (reserve == 0 ? .nothing : .ownEdits))
        guard reserve > 0 else { return }
        #expect(budget.renewal == .seconds(3_600))
        budget.spend(requests: reserve, bytes: 0, at: .zero)
        #expect(budget.allowance == .nothing)
    }

    // MARK: The pace

    /// Spends one request after the other, as fast as the pace allows.
    ///
    /// - Returns: The time of each request.
    private func flood(_ budget: RunBudget, bytes: Int = 0, for span: Duration) -> [Duration] {
        var (budget, now, times) = (budget, Duration.seconds(7), [Duration]())
        while now < span, times.count < 20_000 {
            budget.pass(to: now)
            if budget.allowance == .everything {
                budget.spend(requests: 1, bytes: bytes, at: now)
                times.append(now)
                now += max(budget.pace(at: now), .milliseconds(1))
            } else {
                guard let renewal = budget.renewal else { break }
                now = max(renewal, now)
            }
        }
        return times
    }

    @Test(arguments: [(1, 3_600), (2, 3_600), (10, 500), (60, 80), (3_600, 1.5), (36_000, 0.15)] as [(Int, Double)])
    func `a flood of hints is followed at a pace that leaves the reserve unspent`(limit: Int, longest: Double) {
        let times = self.flood(self.budget(requests: limit), for: .seconds(2 * 3_600))
        let distances = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(distances.max() ?? .zero <= .seconds(longest))
        // The budget counts by whole minutes.
        let inAnHour = times.prefix { $0 < times[0] + .seconds(59 * 60) }.count
        #expect(inAnHour <= max(limit - limit / 10, 1))
    }

    @Test func `the first hints are followed at once`() {
        var budget = self.budget(requests: 3_600)
        #expect(budget.pace(at: .zero) == .zero)
        budget.spend(requests: 10, bytes: 0, at: .zero)
        #expect(budget.pace(at: .zero) < .milliseconds(50))
    }

    @Test func `a large first sync makes the pace slower and does not stop it`() {
        var budget = self.budget(requests: 3_600)
        budget.spend(requests: 2_000, bytes: 0, at: .zero)
        let times = self.flood(budget, for: .seconds(3_600))
        let distances = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(distances.max() ?? .zero <= .seconds(4))
        #expect(times.count > 1_000)
    }

    @Test func `a budget of bytes has a pace`() {
        let times = self.flood(self.budget(bytes: 10_000_000), bytes: 10_000, for: .seconds(3_600))
        let distances = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(times.count <= 900)
        #expect(distances.max() ?? .zero <= .seconds(6))
    }

    @Test(arguments: [nil, 0, Int.max])
    func `a budget without a limit, with 0 or with a huge limit has no pace`(limit: Int?) {
        var budget = self.budget(requests: limit)
        budget.spend(requests: 100_000, bytes: 100_000, at: .zero)
        #expect(budget.pace(at: .seconds(1)) < .milliseconds(1))
    }

    @Test func `a sync that spent more than the budget waits until an hour later`() {
        var budget = self.budget(requests: 10)
        budget.spend(requests: 500, bytes: 0, at: .seconds(120))
        #expect(budget.renewal == .seconds(3_720))
    }

    @Test func `a budget of zero is never renewed`() {
        #expect(self.budget(requests: 0).allowance == .nothing)
        #expect(self.budget(requests: 0).renewal == nil)
    }

    @Test func `spending in the future, after a clock was set back, is ignored`() {
        var budget = self.budget(requests: 1)
        budget.spend(requests: 1, bytes: 0, at: .seconds(100_000))
        budget.pass(to: .seconds(60))
        #expect(budget.allowance == .everything)
    }
}
