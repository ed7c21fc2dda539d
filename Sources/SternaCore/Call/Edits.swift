/// The properties of a policy that were set since the recording began.
///
/// A draft does not know the session that will send it. Its settings record which properties of a policy the caller sets:
/// `$0.retry.limit = 1` replaces only the limit of the sending session's policy.
package struct Edits: Sendable {
    private var bits: UInt16 = 0
    private static let mark: UInt16 = 1 << 15

    /// Makes edits of a policy that applies as a whole, without recording.
    package init() {}

    /// Edits that record, still without properties.
    package static var recording: Edits {
        var edits = Edits()
        edits.bits = mark
        return edits
    }

    /// Whether only the recorded properties apply.
    package var isRecording: Bool { bits & Self.mark != 0 }

    /// Records that a property was set, by its number from 0 to 14.
    package mutating func insert(_ property: some RawRepresentable<Int>) { bits |= 1 << property.rawValue }

    /// Records the properties of other edits.
    package mutating func formUnion(_ others: Edits) { bits |= others.bits & ~Self.mark }

    /// Returns whether a property was set.
    package func contains(_ property: some RawRepresentable<Int>) -> Bool { bits & (1 << property.rawValue) != 0 }
}

extension Edits: Hashable {
    // Policies are compared by their properties, however these were set.
    package static func == (left: Edits, right: Edits) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}

extension Edits: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A policy whose properties a request may replace one by one.
package protocol EditedValue: Sendable {
    var edits: Edits { get set }

    /// Begins to record which properties are set, including those of nested policies.
    mutating func record()

    /// Ends the recording: the value applies as a whole.
    mutating func settle()

    /// Copies the recorded properties to another value.
    func apply(to other: inout Self)
}

extension EditedValue {
    package mutating func record() { edits = .recording }

    package mutating func settle() { edits = Edits() }

    /// The value without its recorded edits, which applies as a whole.
    package var settled: Self {
        guard edits.isRecording else { return self }
        var value = self
        value.settle()
        return value
    }

    /// Returns the result of replacing another value: this one, or if it has recorded edits, the other one with these properties.
    package func over(_ other: Self) -> Self {
        guard edits.isRecording else { return self }
        var value = other
        apply(to: &value)
        return value
    }
}
