// A sentence with commands and paths in backticks; code that contains backticks is enclosed in two.

export function InlineCode({ text }: { text: string }) {
  return (
    <>
      {text.split(/(`` .+? ``|`[^`]+`)/).map((part, index) => {
        const code = /^(?:`` (.+) ``|`([^`]+)`)$/.exec(part);
        return code === null ? part : <code key={index}>{code[1] ?? code[2]}</code>;
      })}
    </>
  );
}
