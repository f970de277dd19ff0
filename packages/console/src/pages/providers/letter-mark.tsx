/** Hues apart from each other, so that neighbors in a list rarely look alike. */
const marks = 8

/** Two letters in place of a logo: logos belong to their owners. */
export function LetterMark({ name }: { name: string }) {
  const [first = '', second] = name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').split(/[\s._-]+/)
  const letters = second ? `${first.charAt(0)}${second.charAt(0)}` : first.slice(0, 2)
  const sum = [...name].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0)
  return (
    <span className={`letter-mark mark-${sum % marks}`} aria-hidden="true">
      {letters}
    </span>
  )
}
