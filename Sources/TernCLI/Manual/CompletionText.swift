import ArgumentParser

/// Changes the parser's completion scripts where they do not fit a command line of `tern`.
///
/// The parser expects commands without arguments of their own above other commands. With `tern`, the options of requests stand also
/// after a method, URLs and items, and a command stands only in the first place.
enum CompletionText {
    /// Returns a script that completes the options of requests in any place. What is not found in the script stays as it is.
    static func adapted(_ script: String, for shell: CompletionShell, commands: [String]) -> String {
        switch shell {
        case .bash: bash(script, commands)
        case .zsh: zsh(script, commands)
        case .fish: fish(script)
        default: script
        }
    }

    private static func bash(_ script: String, _ commands: [String]) -> String {
        // The first call is that of `tern` itself. A count of -1 is for any number of arguments.
        script.replacingFirst(
            "    __tern_offer_flags_options 0\n",
            with: """
                    local -i argument_count=-1
                    case "${COMP_WORDS[1]}" in
                    \(commands.joined(separator: "|")))
                        argument_count=0
                        ;;
                    esac
                    [[ "${COMP_CWORD}" -gt 1 ]] || argument_count=0
                    __tern_offer_flags_options "${argument_count}"

                """
        ).replacingFirst(
            "    # Offer subcommand / subcommand argument completions\n",
            with: """
                    [[ "${argument_count}" -eq 0 ]] || return 0
                    # Offer subcommand / subcommand argument completions

                """)
    }

    private static func zsh(_ script: String, _ commands: [String]) -> String {
        // The last two specifications are for a command and its arguments.
        let call = #"    _arguments -w -s -S : "${arg_specs[@]}" && ret=0"# + "\n"
        return script.replacingFirst(
            call,
            with: """
                    if [[ "${CURRENT}" -gt 2 && "${words[2]}" != (\(commands.joined(separator: "|"))) ]]; then
                        _arguments -w -s -S : "${(@)arg_specs[1,-3]}" '*: :_default' && ret=0
                        return "${ret}"
                    fi

                """ + call)
    }

    private static func fish(_ script: String) -> String {
        // `argparse` refuses names with a full stop, and then all options of the command; `http1` is its other name.
        script.replacing(" 'http1.1'", with: " 'http1'")
            .replacing(
                #"-n '__tern_should_offer_completions_for_positional "tern" -eq 1' "#,
                with: "-n 'test (count (__tern_tokens -pc)) -eq 1' ")
    }
}

extension String {
    /// Returns a copy with another text in the first place where a text stands.
    fileprivate func replacingFirst(_ text: String, with other: String) -> String {
        guard let range = firstRange(of: text) else { return self }
        return String(self[..<range.lowerBound]) + other + self[range.upperBound...]
    }
}
