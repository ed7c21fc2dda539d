/// Lets one child run at a time, so that mutations do not take the processors from tests that measure time.
actor MutationTurn {
    static let shared = MutationTurn()

    private var isTaken = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func begin() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiters.append($0) }
    }

    func end() {
        guard !waiters.isEmpty else {
            isTaken = false
            return
        }
        waiters.removeFirst().resume()
    }
}
