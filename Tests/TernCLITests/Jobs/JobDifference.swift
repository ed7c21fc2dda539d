/// What a program does otherwise than `tern` in a job of the table, and why that is right.
struct JobDifference {
    enum Aspect: String {
        case status, output, request, files
    }

    var job: String
    var program: JobTable.Program
    var aspects: Set<Aspect>
    var reason: String

    init(_ job: String, _ program: JobTable.Program, _ aspects: Set<Aspect>, _ reason: String) {
        (self.job, self.program, self.aspects, self.reason) = (job, program, aspects, reason)
    }

    private static let head = "tern ends the lines of a head by a line feed alone, as awk and grep expect it"
    private static let space = "items write a space as %20 unless --style whatwg is given"
    private static let spaces = "HTTPie writes JSON with spaces, and letters beyond ASCII as escapes"
    private static let charset = "HTTPie adds a charset to the type of forms"
    private static let statuses = "HTTPie has exit statuses of its own, tern has curl's"
    private static let terminal = "HTTPie saves under a name of its own only if standard output is a terminal"
    private static let type = "HTTPie adds a type; tern and curl leave it out with -T"

    static let all: [JobDifference] = [
        .init("show the head, by HEAD", .curl, [.output], head),
        .init("show the head, by HEAD", .httpie, [.output], head),
        .init("show the head, by GET", .curl, [.output], head),
        .init("show the head, by GET", .httpie, [.output], head),
        .init("show the head and the body", .curl, [.output], head),
        .init("show the head and the body", .httpie, [.output], head),
        .init("print a field of the response", .httpie, [.output], head),
        .init(
            "lay out JSON", .httpie, [.output],
            "HTTPie sorts the names and indents by four spaces, tern keeps their order"),
        .init(
            "retry after 503", .curl, [.output], "curl shows the bodies of failed attempts, too, if they are not saved"),
        .init("upload a file with a form", .curl, [.request], "curl does not know the type of .csv"),
        .init("search for what needs encoding", .curl, [.request], "curl writes hexadecimal digits in lower case"),
        .init("search for what needs encoding", .tern, [.request], space),
        .init("post values that need encoding", .tern, [.request], space),
        .init(
            "keep cookies", .curl, [.files],
            "tern writes no remark on its own program, keeps cookies for 400 days at most, and locks the file by another"
        ),
        .init("keep cookies", .httpie, [.files], "a session is a file of its program"),
        .init("keep a login", .httpie, [.files], "a session is a file of its program"),
        .init(
            "follow one redirect at most", .httpie, [.status, .request],
            "HTTPie counts the response that is not followed, too"),
        .init("save under the URL's name", .httpie, [.output, .files], terminal),
        .init("save under the server's name", .httpie, [.output, .files], terminal),
        .init("fail after two seconds", .httpie, [.status], statuses),
        .init("fail for an unknown host", .httpie, [.status], statuses),
        .init("fail for a closed port", .httpie, [.status], statuses),
        .init("fail for an unknown certificate", .httpie, [.status], statuses),
        .init("send JSON", .httpie, [.request], spaces),
        .init("send nested JSON", .httpie, [.request], spaces),
        .init("send JSON with a file in a field", .httpie, [.request], spaces),
        .init("change by PATCH", .httpie, [.request], spaces),
        .init("post a form", .httpie, [.request], charset),
        .init("post values that need encoding", .httpie, [.request], charset),
        .init("upload by PUT", .httpie, [.request], type),
        .init("upload standard input by PUT", .httpie, [.request], type),
        .init("show what would be sent", .httpie, [.output], "each program shows its own fields"),
    ]
}
