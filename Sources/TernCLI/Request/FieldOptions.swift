import ArgumentParser
import Sterna

/// Options for the body and the method of a request.
struct FieldOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Send fields as a JSON object (the default).")
    var json = false

    @Flag(name: .long, help: "Send fields as a form, application/x-www-form-urlencoded.")
    var form = false

    @Flag(name: .customShort("f"), help: "With fields the same as --form; without fields the same as --fail.")
    var f = false

    @Flag(help: "Send fields and files as the parts of a form, multipart/form-data; --form with a file does the same.")
    var multipart = false

    @Flag(help: "Send fields as a property list, application/x-plist.")
    var plist = false

    @Option(
        name: [.customShort("d", allowingJoined: true), .customLong("data")],
        help: ArgumentHelp(
            "Send this text, or that of @file or of @- for standard input without its line ends: as a form unless --json or a Content-Type says otherwise. Several are joined by &.",
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
        if head, let method, method.uppercased() != "HEAD" {
            throw ValidationError("--head and --method \(method) exclude each other.")
        }
    }

    var format: FieldFormat { form ? .form : multipart ? .multipart : plist ? .propertyList : .json }

    /// The method that the options name.
    var namedMethod: String? { head ? "HEAD" : method }

    /// Whether an option names the format of a body.
    var namesFormat: Bool { json || form || multipart || plist }

    /// The media type of the text of `--data`.
    var dataType: String { (json || plist ? format : .form).mediaType }
}
