/// A reference as it stands in a document or a style sheet, escapes resolved.
struct ReferenceUse: Sendable, Hashable {
    var text: String
    var kind: ReferenceKind
}

/// What a reference is for.
enum ReferenceKind: Sendable, Hashable, CaseIterable {
    /// Goes to another page, or to a place that gets a form: nothing is fetched.
    case link
    /// An image, a font, a film, a sound.
    case resource
    /// A script, whose text becomes UTF-8.
    case script
    /// A style sheet of a document.
    case sheet
    /// A style sheet of a style sheet.
    case importedSheet
    /// A document within a document, if it is one.
    case frame

    /// Whether what it leads to is one level further from the page.
    var isDeeper: Bool { self == .importedSheet || self == .frame }
}
