import Sterna

extension DemoStep {
    static let parameterSteps: [DemoStep] = [
        DemoStep(
            title: "Nested query", explanation: "parameters go into the URL, lists and members in brackets",
            play: nestedQuery),
        DemoStep(title: "Form post", explanation: "the same parameters as a form in the body", play: formPost),
        DemoStep(title: "JSON post", explanation: "and as a JSON object, types kept", play: jsonPost),
    ]

    private static let bird: Parameters = [
        "name": "Arctic tern", "weight": 104, "places": ["Svalbard", "Weddell Sea"],
    ]

    private static func nestedQuery(_ stage: DemoStage) async throws -> Told {
        let reply = try await stage.api.get("get", parameters: ["bird": bird])
        let args = try await reply.json()["args"]
        try check(args["bird[name]"] == "Arctic tern", "bird[name] is “Arctic tern”")
        try check(args["bird[places][]"] == ["Svalbard", "Weddell Sea"], "bird[places][] has both places")
        return Told(result: "3 names read back", lines: ["GET \(reply.url.requestTarget)", "→ \(args)"])
    }

    private static func formPost(_ stage: DemoStage) async throws -> Told {
        let form = try await stage.api.post("post", parameters: bird).json()["form"]
        try check(form["weight"] == "104", "weight is the text 104")
        try check(form["places[]"].array?.count == 2, "there are two places")
        return Told(result: "fields echoed as text", lines: ["→ \(form)"])
    }

    private static func jsonPost(_ stage: DemoStage) async throws -> Told {
        let api = stage.api.with { $0.requestSerializer = .json }
        let json = try await api.post("post", parameters: bird).json()["json"]
        try check(json["weight"].int == 104, "weight is the number 104")
        try check(json == JSON(bird), "the object is the one that was sent")
        return Told(result: "object echoed with types", lines: ["→ \(json)"])
    }
}
