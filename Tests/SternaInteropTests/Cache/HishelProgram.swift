import SternaPlatform

/// hishel of PyPI, a cache whose decisions run without I/O: what it decides of cases, for which its clock is set.
enum HishelProgram {
    /// Whether it is installed, or has to be because this is CI.
    static var isThere: Bool {
        let library = "\(ChildProcess.package)/.build/interop/venv/lib"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: library)) ?? []
        let isInstalled = versions.contains { access("\(library)/\($0)/site-packages/hishel", R_OK) == 0 }
        return ChildProcess.mayNotSkip || isInstalled && access(InteropPython.path, X_OK) == 0
    }

    /// What hishel says of a case.
    struct Answer: Codable, Sendable {
        /// How it reads the fields of a response.
        struct Reading: Codable, Sendable {
            /// Cache-Control, written anew.
            var control: String
            /// Date, Expires and Last-Modified, written anew; none that it cannot read.
            var dates: [String: String]
        }

        /// The lines that it stores of each response; nil for one that it does not store.
        var stored: [[FieldLine]?]
        /// `hit`, place and age; `validate`, place and conditions; `forward`.
        var decision: String
        /// The lines of the only stored response after the update; nil if it is not reused.
        var updated: [FieldLine]?
        /// The Cache-Control of the request, written anew.
        var requestControl: String
        var readings: [Reading]
    }

    /// Returns the answers to cases, in their order.
    static func answers(to cases: [HishelCase]) async throws -> [Answer] {
        let encoder = JSONEncoder()
        var input: [UInt8] = []
        for given in cases { input += try encoder.encode(given) + [0x0A] }
        let output = try await ChildProcess.run([InteropPython.path, "-c", script], input: input)
        let decoder = JSONDecoder()
        return try output.split(separator: 0x0A).map { try decoder.decode(Answer.self, from: Data($0)) }
    }

    // A Last-Modified that it cannot read is sent by hishel all the same, and counts as not sent here.
    private static let script = #"""
        import email.utils, json, re, sys, uuid
        import hishel._core._spec as spec
        from hishel import CacheMiss, Entry, FromCache, Headers, IdleClient, InvalidateEntries, NeedRevalidation
        from hishel import NeedToBeUpdated, Request, Response, StoreAndUse
        from hishel._core._headers import parse_cache_control
        from hishel._utils import parse_date

        class Clock:
            now = 0

            @classmethod
            def time(cls):
                return cls.now

        spec.time = Clock

        def headers(fields):
            lists = {}
            for line in fields:
                lists.setdefault(line["name"].lower(), []).append(line["value"])
            return Headers(lists)

        def lines(headers):
            return [{"name": name, "value": value} for name in headers for value in headers.get_list(name)]

        def message(given):
            return Request(method=given["method"], url="https://api.example.com/a", headers=headers(given["fields"]))

        def control(headers, is_request=False):
            read = parse_cache_control(headers.get("cache-control"))
            words = []
            for name, value in vars(read).items():
                word = name.replace("_", "-")
                if name == "extensions" or value is None or value is False:
                    continue
                if value is True:
                    words.append(word)
                elif isinstance(value, list) and is_request:
                    # Names make another directive of it, which requests do not have.
                    continue
                elif isinstance(value, list):
                    # Without a name that can be one, it is still a directive with names: of a field that there is not.
                    names = [name for name in value if re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", name, re.A)]
                    words.append(f'{word}="{", ".join(names or ["x-none"])}"')
                else:
                    words.append(f"{word}={value}")
            return ", ".join(words)

        def date(text):
            seconds = parse_date(text)
            return None if seconds is None else email.utils.formatdate(seconds, usegmt=True)

        def dates(headers):
            found = {name: date(headers.get(name, "")) for name in ("date", "expires", "last-modified")}
            return {name: text for name, text in found.items() if text}

        def decision(request, entries, options):
            places = {entry.id: place for place, entry in entries}
            state = IdleClient(options=options).next(request, [entry for _, entry in entries])
            if isinstance(state, FromCache):
                return f'hit {places[state.entry.id]} {state.entry.response.headers["age"]}'
            if not isinstance(state, NeedRevalidation):
                return "forward"
            entry = state.revalidating_entries[0]
            conditions = ""
            if "etag" in entry.response.headers:
                conditions += " " + state.request.headers["if-none-match"]
            if entry.response.headers.get("last-modified"):
                modified = date(state.request.headers["if-modified-since"])
                conditions += " " + modified if modified else ""
            return f"validate {places[entry.id]}{conditions}" if conditions else "forward"

        def updated(request, entry, fields, options):
            state = NeedRevalidation(
                request=request, original_request=request, revalidating_entries=[entry], options=options
            ).next(Response(status_code=304, headers=headers(fields)))
            if isinstance(state, InvalidateEntries):
                state = state.next_state
            return lines(state.updating_entries[0].response.headers) if isinstance(state, NeedToBeUpdated) else None

        for line in sys.stdin:
            case = json.loads(line)
            options = {"shared": case["isShared"], "allow_stale": case["servesStale"]}
            request = message(case["request"])
            stored, entries, readings = [], [], []
            for place, given in enumerate(case["stored"]):
                Clock.now = given["arrived"]
                response = Response(status_code=given["status"], headers=headers(given["fields"]))
                state = CacheMiss(request=message(given["request"]), options=options).next(response)
                stored.append(lines(state.response.headers) if isinstance(state, StoreAndUse) else None)
                readings.append({"control": control(response.headers), "dates": dates(response.headers)})
                if given["isUsed"]:
                    kept = spec.exclude_unstorable_headers(response, case["isShared"])
                    entries.append((place, Entry(uuid.uuid4(), message(given["request"]), kept)))
            Clock.now = case["now"]
            answer = {
                "stored": stored, "decision": decision(request, entries, options), "readings": readings,
                "requestControl": control(request.headers, is_request=True),
            }
            if case.get("update") is not None and entries:
                answer["updated"] = updated(request, entries[0][1], case["update"], options)
            print(json.dumps(answer))
        """#
}
