/// Which properties of a policy were set, since it began to record them.
///
/// A draft does not know the session that will send it. Its settings record what the caller sets of a policy: `$0.retry.limit = 1`
/// replaces the limit of the sending session's policy, and no other property of it.
package struct Edits: Sendable {
    private var bits: UInt16 = 0
    private static let mark: UInt16 = 1 << 15

    /// No properties, and no recording: a policy that holds as a whole.
    package init() {}

    /// No properties yet.
    package static var recording: Edits {
        var edits = Edits()
        edits.bits = mark
        return edits
    }

    /// Whether only the properties that were set hold.
    package var isRecording: Bool { bits & Self.mark != 0 }

    /// Notes that a property was set, by its number from 0 to 14.
    package mutating func insert(_ property: some RawRepresentable<Int>) { bits |= 1 << property.rawValue }

    /// Notes the properties that others note.
    package mutating func formUnion(_ others: Edits) { bits |= others.bits & ~Self.mark }

    /// Whether a property was set.
    package func contains(_ property: some RawRepresentable<Int>) -> Bool { bits & (1 << property.rawValue) != 0 }
}

extension Edits: Hashable {
    // Policies are compared by their properties, however they came about.
    package static func == (left: Edits, right: Edits) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}

extension Edits: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A policy of which a request may replace single properties.
package protocol EditedValue: Sendable {
    var edits: Edits { get set }

    /// Begins to record which properties are set, those of nested policies included.
    mutating func record()

    /// Ends the recording: the value holds as a whole.
    mutating func settle()

    /// Sets those properties of another value that were set in this one while it recorded.
    func apply(to other: inout Self)
}

extension EditedValue {
    package mutating func record() { edits = .recording }

    package mutating func settle() { edits = Edits() }

    /// The value, from which recorded changes cannot be told any more.
    package var settled: Self {
        guard edits.isRecording else { return self }
        var value = self
        value.settle()
        return value
    }

    /// Returns the value that holds where another one is replaced: this one, or the other with the properties that were set in this
    /// one.
    package func over(_ other: Self) -> Self {
        guard edits.isRecording else { return self }
        var value = other
        apply(to: &value)
        return value
    }
}
