/** A sentence of the API's documentation: what is between backticks is code. */
export function Prose({ text }: { text: string }) {
  let start = 0
  return (
    <>
      {text.split('`').map((part, index) => {
        const key = start
        start += part.length + 1
        return index % 2 === 1 ? <code key={key}>{part}</code> : <span key={key}>{part}</span>
      })}
    </>
  )
}
