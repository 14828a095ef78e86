#[derive(Default)]
pub struct Codec;

impl Codec {
    pub fn run(&self, item: &str) -> String { encode(item) }
}

pub fn encode(item: &str) -> String { item.to_string() }

#[cfg(test)]
mod tests {
    use super::*;

    fn works() { encode("a"); Codec.run("b"); }
}
