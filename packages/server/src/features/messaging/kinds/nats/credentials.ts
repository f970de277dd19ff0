/** What a credentials file contains: the seed of an nkey, which signs, and the JWT of the user in a file of `nsc`. */
export interface NatsCredentials {
  seed: string
  jwt?: string
}

const seedShape = /^SU[A-Z2-7]{56}$/
const jwtShape = /^[\w-]{1,8000}\.[\w-]{1,8000}\.[\w-]{1,1000}$/

/** Parses the content of a credentials file, or the seed of an nkey. Undefined if it is neither. */
export function parseCredentials(text: string): NatsCredentials | undefined {
  const lines = text.split('\n').map((line) => line.trim())
  const [only] = lines.filter((line) => line !== '')
  if (only !== undefined && seedShape.test(only)) return { seed: only }
  const jwt = lineAfter(lines, /BEGIN NATS USER JWT/)
  const seed = lineAfter(lines, /BEGIN USER NKEY SEED/)
  if (jwt === undefined || seed === undefined || !jwtShape.test(jwt) || !seedShape.test(seed)) return undefined
  return { jwt, seed }
}

function lineAfter(lines: readonly string[], begin: RegExp): string | undefined {
  const at = lines.findIndex((line) => line.startsWith('---') && begin.test(line))
  return at < 0 ? undefined : lines.slice(at + 1).find((line) => line !== '')
}
