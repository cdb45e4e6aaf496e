
thread_local! {
    static BOT: std::cell::RefCell<Option<submission::Submission>> = const { std::cell::RefCell::new(None) };
}

/// Returns the action for an observation, both as the arena's JSON. Any text at all gets a
/// well-formed action, and a legal one if the edges can be read.
pub fn act(observation_json: &str) -> String {
    BOT.with(|bot| {
        let mut bot = bot.borrow_mut();
        if bot.is_none() {
            let (weights, budget) = (decoded(WEIGHTS), search::Budget::new(SIMULATIONS, NODES));
            let book = solver::Book::from_bytes(&decoded(BOOK)).ok().map(std::sync::Arc::new);
            let without = submission::Submission::new(&weights, budget, net::Isa::fastest()).ok();
            *bot = without.map(|bot| book.into_iter().fold(bot, submission::Submission::with_book));
        }
        match bot.as_mut() {
            Some(bot) => bot.act(observation_json.as_bytes()),
            // The weights cannot be used. The first undrawn edge is still a legal action.
            None => protocol::respond(observation_json.as_bytes(), |position, nonce| {
                bots::RuleBot::First.choose(position, nonce)
            }),
        }
    })
}

/// Returns the action for the fields of an observation: the orientation, `'H'` or `'V'`, the row
/// and the column of the edge to draw.
pub fn act_on(
    you: usize,
    to_move: usize,
    h: &[Vec<bool>],
    v: &[Vec<bool>],
    owner: &[Vec<i32>],
    nonce: u64,
) -> (char, usize, usize) {
    let scores = [0, 1].map(|seat| owner.iter().flatten().filter(|&&own| own == seat).count());
    let turn = h.iter().chain(v).flatten().filter(|&&is_drawn| is_drawn).count();
    let cols = h.first().map_or(0, Vec::len);
    let observation = format!(
        "{{\"you\":{you},\"to_move\":{to_move},\"rows\":{},\"cols\":{cols},\"h\":{h:?},\"v\":{v:?},\"owner\":{owner:?},\
         \"scores\":{scores:?},\"turn\":{turn},\"nonce\":{nonce}}}",
        v.len()
    );
    let action = protocol::Json::parse(act(&observation).as_bytes()).unwrap_or(protocol::Json::Null);
    let number = |name| action.get(name).as_u64().unwrap_or(0) as usize;
    let orientation = action.get("orient").as_text().and_then(|text| text.chars().next());
    (orientation.unwrap_or('H'), number("r"), number("c"))
}

/// Decodes base 64 without padding.
fn decoded(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let four = |digits: &[u8]| {
        let word = digits.iter().fold(0u32, |word, &byte| word << 6 | digit(byte) as u32) << (6 * (4 - digits.len()));
        word.to_be_bytes()[1..digits.len()].to_vec()
    };
    text.as_bytes().chunks(4).flat_map(four).collect()
}
