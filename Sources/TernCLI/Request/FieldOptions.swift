import ArgumentParser
import Sterna

/// Options for the body and the method of a request.
struct FieldOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Send fields as a JSON object (the default).")
    var json = false

    @Flag(name: .shortAndLong, help: "Send fields as a form, application/x-www-form-urlencoded.")
    var form = false

    @Flag(help: "Send fields and files as the parts of a form, multipart/form-data; --form with a file does the same.")
    var multipart = false

    @Flag(help: "Send fields as a property list, application/x-plist.")
    var plist = false

    @Option(
        name: [.customShort("d", allowingJoined: true), .customLong("data")],
        help: ArgumentHelp(
            "Send this text, or @file or @- for standard input, unchanged: as a form unless --json or a Content-Type says otherwise. Several are joined by &.",
            valueName: "text"))
    var data: [String] = []

    @Option(
        name: [.customShort("X", allowingJoined: true), .customLong("method"), .customLong("request")],
        help: ArgumentHelp("The method, as METHOD before the URL.", valueName: "method"))
    var method: String?

    @Flag(name: [.customShort("I"), .customLong("head")], help: "Send HEAD and show the response's head.")
    var head = false

    @Flag(name: .customLong("ignore-stdin"), help: "Send no body from standard input.")
    var ignoreStdin = false

    func validate() throws {
        if [json, form, multipart, plist].filter(\.self).count > 1 {
            throw ValidationError("--json, --form, --multipart and --plist exclude each other.")
        }
        if !data.isEmpty, multipart {
            throw ValidationError("--data is the whole body; for the parts of a form write name=value after the URL.")
        }
        if !data.isEmpty, head { throw ValidationError("--head sends no body, so --data does not go with it.") }
        if data.count > 1, let file = data.first(where: { $0.hasPrefix("@") }) {
            throw ValidationError("\(file) is the whole body; it must be the only --data.")
        }
        if head, let method, method.uppercased() != "HEAD" {
            throw ValidationError("--head and --method \(method) exclude each other.")
        }
    }

    var format: FieldFormat { form ? .form : multipart ? .multipart : plist ? .propertyList : .json }

    /// The method that the options name.
    var namedMethod: String? { head ? "HEAD" : method }

    /// The body of `--data`; nil without it.
    var givenBody: GivenBody? {
        guard let first = data.first else { return nil }
        let mediaType = (json || plist ? format : .form).mediaType
        if first == "@-" { return GivenBody(source: .standardInput, mediaType: mediaType) }
        if first.hasPrefix("@") { return GivenBody(source: .file(String(first.dropFirst())), mediaType: mediaType) }
        return GivenBody(source: .text(data.joined(separator: "&")), mediaType: mediaType)
    }
}

/// A body that an option gives as a whole.
struct GivenBody: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        case text(String)
        case file(String)
        case standardInput
    }

    var source: Source
    var mediaType: String
}
