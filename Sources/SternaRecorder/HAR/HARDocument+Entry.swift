public import SternaPlatform
public import SternaSerialization

extension HARDocument {
    /// One exchange of a document: a request, and its response or failure.
    public struct Entry: HARNode {
        /// The entry's JSON object, with the members that this type does not name.
        public var json: JSON

        /// Makes an entry from its JSON object, which is not checked.
        public init(json: JSON) { self.json = json }

        /// Makes an entry.
        ///
        /// - Parameters:
        ///   - started: when the request began.
        ///   - request: the request.
        ///   - response: the response; by default one with status 0, as browsers write failures.
        ///   - timings: the phases; their sum, without `ssl`, becomes the entry's time.
        public init(
            started: Date, request: Request, response: Response = Response(status: 0), timings: Timings = Timings()
        ) {
            json = [
                "startedDateTime": JSON(HARDate.text(started)), "time": JSON(timings.sum), "request": request.json,
                "response": response.json, "cache": [:], "timings": timings.json,
            ]
        }

        /// When the request began; nil for a missing or invalid text.
        ///
        /// Texts have an offset from UTC, and fractions of any length; one without an offset is taken as UTC. An assigned date is
        /// written in UTC with milliseconds.
        public var started: Date? {
            get { json["startedDateTime"].string.flatMap(HARDate.date) }
            set { set(optional: newValue.map { JSON(HARDate.text($0)) }, for: "startedDateTime") }
        }

        /// The duration of the whole exchange in milliseconds; 0 if it is missing or negative.
        public var time: Double {
            get { known("time") ?? 0 }
            set { json["time"] = JSON(newValue) }
        }

        /// The request.
        public var request: Request {
            get { Request(json: json["request"]) }
            set { json["request"] = newValue.json }
        }

        /// The response. Its status is 0 if the request failed.
        public var response: Response {
            get { Response(json: json["response"]) }
            set { json["response"] = newValue.json }
        }

        /// The phases of the exchange.
        public var timings: Timings {
            get { Timings(json: json["timings"]) }
            set { json["timings"] = newValue.json }
        }

        /// The address of the server, IPv6 without brackets, although Chromium writes them; nil if it is unknown.
        public var serverIPAddress: String? {
            get { json["serverIPAddress"].string.flatMap { $0.isEmpty ? nil : $0 } }
            set { set(optional: newValue.map { JSON($0) }, for: "serverIPAddress") }
        }

        /// The name of the connection, which entries on the same connection share; nil if it is unknown.
        public var connection: String? {
            get { json["connection"].string.flatMap { $0.isEmpty ? nil : $0 } }
            set { set(optional: newValue.map { JSON($0) }, for: "connection") }
        }

        /// The error in words, as Chromium has it in the response's `_error`; nil if there is none.
        public var failure: String? {
            get { json["response"]["_error"].string.flatMap { $0.isEmpty ? nil : $0 } }
            set {
                var response = response
                response.set(optional: newValue.map { JSON($0) }, for: "_error")
                self.response = response
            }
        }

        /// The messages of a WebSocket, as Chromium has them in `_webSocketMessages`; nil if the member is missing.
        public var webSocketMessages: [Message]? {
            get { json["_webSocketMessages"].array?.map(Message.init) }
            set { set(optional: newValue.map { .array($0.map(\.json)) }, for: "_webSocketMessages") }
        }

        /// The server-sent events, as Chromium has them in `_eventSourceMessages`; nil if the member is missing.
        public var events: [Message]? {
            get { json["_eventSourceMessages"].array?.map(Message.init) }
            set { set(optional: newValue.map { .array($0.map(\.json)) }, for: "_eventSourceMessages") }
        }
    }

    /// The duration of each phase in milliseconds; nil for one that did not take place or is unknown, which is written as -1.
    public struct Timings: HARNode {
        /// The JSON object, with the members that this type does not name.
        public var json: JSON

        /// Makes timings from their JSON object, which is not checked.
        public init(json: JSON) { self.json = json }

        /// Makes timings; `connect` includes `ssl`, as the format has it.
        public init(
            blocked: Double? = nil, dns: Double? = nil, connect: Double? = nil, ssl: Double? = nil, send: Double? = 0,
            wait: Double? = 0, receive: Double? = 0
        ) {
            let all = [
                ("blocked", blocked), ("dns", dns), ("connect", connect), ("send", send), ("wait", wait),
                ("receive", receive), ("ssl", ssl),
            ]
            json = .object(JSON.Object(pairs: all.map { ($0.0, JSON($0.1 ?? -1)) }))
        }

        /// The wait for a connection.
        public var blocked: Double? {
            get { known("blocked") }
            set { json["blocked"] = JSON(newValue ?? -1) }
        }
        /// The resolution of the host's name.
        public var dns: Double? {
            get { known("dns") }
            set { json["dns"] = JSON(newValue ?? -1) }
        }
        /// The connection's establishment, with the TLS handshake.
        public var connect: Double? {
            get { known("connect") }
            set { json["connect"] = JSON(newValue ?? -1) }
        }
        /// The TLS handshake, a part of ``connect``.
        public var ssl: Double? {
            get { known("ssl") }
            set { json["ssl"] = JSON(newValue ?? -1) }
        }
        /// The sending of the request.
        public var send: Double? {
            get { known("send") }
            set { json["send"] = JSON(newValue ?? -1) }
        }
        /// The wait for the response.
        public var wait: Double? {
            get { known("wait") }
            set { json["wait"] = JSON(newValue ?? -1) }
        }
        /// The reading of the response.
        public var receive: Double? {
            get { known("receive") }
            set { json["receive"] = JSON(newValue ?? -1) }
        }

        /// The sum of all phases, in which `ssl` counts as a part of `connect`.
        public var sum: Double { [blocked, dns, connect, send, wait, receive].reduce(0) { $0 + ($1 ?? 0) } }
    }

    /// A message of a WebSocket, or a server-sent event.
    public struct Message: HARNode {
        /// The JSON object, with the members that this type does not name.
        public var json: JSON

        /// Makes a message from its JSON object, which is not checked.
        public init(json: JSON) { self.json = json }

        /// Makes a WebSocket message: text, or bytes that are written in base64.
        ///
        /// - Parameter time: the seconds since 1970.
        public init(isSent: Bool, time: Double, text: String) {
            json = ["type": isSent ? "send" : "receive", "time": JSON(time), "opcode": 1, "data": JSON(text)]
        }

        /// Makes a WebSocket message of bytes, which are written in base64.
        ///
        /// - Parameter time: the seconds since 1970.
        public init(isSent: Bool, time: Double, bytes: [UInt8]) {
            json = [
                "type": isSent ? "send" : "receive", "time": JSON(time), "opcode": 2,
                "data": JSON(Data(bytes).base64EncodedString()),
            ]
        }

        /// Makes a server-sent event.
        ///
        /// - Parameter time: the seconds since 1970.
        public init(event name: String, id: String, time: Double, data: String) {
            json = ["time": JSON(time), "eventName": JSON(name), "eventId": JSON(id), "data": JSON(data)]
        }

        /// Whether the client sent the message.
        public var isSent: Bool { json["type"].string == "send" }

        /// When the message came or went, in seconds since 1970; 0 if that is unknown.
        public var time: Double { known("time") ?? 0 }

        /// The opcode of a WebSocket's frame (RFC 6455, 5.2): 1 is text, 2 is binary. 0 for an event.
        public var opcode: Int { json["opcode"].int ?? 0 }

        /// The text, or bytes in base64 if the opcode is 2.
        public var data: String { json["data"].string ?? "" }

        /// The bytes of the message; nil for invalid base64.
        public var bytes: [UInt8]? { opcode == 2 ? HARText.bytes(base64: data) : Array(data.utf8) }
    }
}
