import SternaCore

/// The signers of requests, at most one of each stage.
struct SigningChoices: Sendable {
    /// The signer of a stage, and whether the request or its session has set it.
    struct Choice: Sendable {
        let type: any RequestSigner.Type

        /// Nil leaves the signature out.
        var signer: (any RequestSigner)?

        /// Whether the request itself has set it, so that it signs whatever the request's origin.
        var isOfRequest = false

        /// Whether a property of a signer was changed where there was none, so that the choice means nothing.
        var changesNone = false
    }

    /// The choices in the order of their stages.
    private(set) var all: [Choice] = []

    /// Whether one of them signs.
    var sign: Bool { all.contains { $0.signer != nil } }

    subscript(stage: SigningStage) -> Choice? {
        get { all.first { $0.type.stage == stage } }
        set {
            all.removeAll { $0.type.stage == stage }
            guard let newValue else { return }
            all.append(newValue)
            all.sort { $0.type.stage.rawValue < $1.type.stage.rawValue }
        }
    }
}

extension SigningChoices: EditedValue {
    // Always recorded: a request's choice replaces the session's of that stage, and no other.
    var edits: Edits {
        get { .recording }
        set {}
    }

    func apply(to other: inout SigningChoices) {
        for choice in all { other[choice.type.stage] = choice }
    }
}

extension SigningChoices: CustomReflectable {
    /// Shows the signers by the names of their settings.
    var customMirror: Mirror {
        Mirror(self, children: all.map { (label: $0.type.setting, value: $0.signer as Any) }, displayStyle: .struct)
    }
}

/// The option that holds a request's signers.
enum SigningKey: RequestOptionKey {
    static var defaultValue: SigningChoices { SigningChoices() }
    static var name: String? { "auth.signing" }
}

extension Request {
    /// Whether the request has a signer. It signs below the cache.
    var isSigned: Bool { options.read(SigningKey.self) { $0.sign } ?? false }
}

extension SessionSettings.Auth {
    /// The signer of a type, which signs the session's requests; nil for none. With a base URL, only requests to its origin are
    /// signed.
    package subscript<Signer: RequestSigner>(type: Signer.Type) -> Signer? {
        get { signing[Signer.stage]?.signer as? Signer }
        set { signing[Signer.stage] = newValue.map { SigningChoices.Choice(type: Signer.self, signer: $0) } }
    }
}

extension RequestSettings.Auth {
    /// The signer of a type, which signs this request; nil for none, even if the session has one. The session's by default.
    ///
    /// An assigned signer signs the request whatever its origin; the session's, even with properties changed, only what the session
    /// signs.
    package subscript<Signer: RequestSigner>(type: Signer.Type) -> Signer? {
        get { settings.options[SigningKey.self][Signer.stage]?.signer as? Signer }
        _modify {
            let former = settings.options[SigningKey.self][Signer.stage]
            var signer = former?.signer as? Signer
            defer {
                settings.options[edited: SigningKey.self][Signer.stage] = SigningChoices.Choice(
                    type: Signer.self, signer: signer,
                    isOfRequest: former?.signer == nil || former?.isOfRequest == true,
                    changesNone: former?.signer == nil && signer == nil)
            }
            yield &signer
        }
        set {
            settings.options[edited: SigningKey.self][Signer.stage] = SigningChoices.Choice(
                type: Signer.self, signer: newValue, isOfRequest: true)
        }
    }

    /// Replaces the signers by another value's; those of stages without a choice by the session's.
    mutating func replaceSigning(by other: Self) {
        guard !settings.options.isEmpty || !other.settings.options.isEmpty else { return }
        let shared = settings.session?.requestOptions[SigningKey.self] ?? SigningChoices()
        let choices = other.settings.options[SigningKey.self].over(shared)
        settings.options[ifSet: SigningKey.self] = nil
        if !choices.all.isEmpty { choices.apply(to: &settings.options[edited: SigningKey.self]) }
    }
}
