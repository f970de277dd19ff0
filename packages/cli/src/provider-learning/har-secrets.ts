import { isJson, listOf, objectOf, textOf } from './json-values.ts'

/** Values of one recording, those that are looked for in longer texts, and levels of a body that are searched. */
const valuesMax = 20_000
const partsMax = 1000
const levelsMax = 12
/** Shorter values are words, and appear in names by chance. */
const charactersMin = 4
/** A value of this length does not appear in a name by chance. */
const partCharactersMin = 8

const secretName =
  /authorization|cookie|token|secret|passw|passphrase|credential|session|signature|(?:api|access|auth|private)[-_]?key/i
/** Names of secrets in requests; responses have keys and codes of other kinds. */
const requestName = /^(?:key|auth|sig|code|jwt|otp|pin|hapikey)$/i
const schemeWord = /^(?:Bearer|Basic|Token|ApiKey|Api-Key|SSWS|GenieKey)$/i
const publicName = /type|expire|count|limit|lifetime|scope|algorithm/i

/** Credentials and other secrets of a recording. They stay in memory: no output may contain one. */
export class Secrets {
  readonly #values = new Set<string>()
  /** Values of headers, cookies and parameters that are looked for in longer texts, too. */
  readonly #parts = new Set<string>()
  readonly #known = new Map<string, boolean>()

  /** Collects the secrets of all requests, also of those that failed. */
  constructor(entries: readonly unknown[]) {
    for (const entry of entries) {
      const request = objectOf(objectOf(entry)['request'])
      const response = objectOf(objectOf(entry)['response'])
      for (const side of [request, response]) {
        for (const header of listOf(side['headers'])) this.#addNamed(header, true)
        for (const cookie of listOf(side['cookies'])) this.#add(textOf(objectOf(cookie)['value']), true)
      }
      this.#addUrl(textOf(request['url']))
      const post = objectOf(request['postData'])
      for (const parameter of [...listOf(request['queryString']), ...listOf(post['params'])])
        this.#addNamed(parameter, true)
      this.#addBody(textOf(post['text']), true)
      const content = objectOf(response['content'])
      const text = textOf(content['text'])
      const isBase64 = content['encoding'] === 'base64'
      this.#addBody(isBase64 && text !== undefined ? Buffer.from(text, 'base64').toString('utf8') : text, false)
    }
  }

  /** Whether a name, or a part of a path, is or contains a secret. */
  has(name: string): boolean {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const found = this.#values.has(name) || this.isIn(name)
    this.#known.set(name, found)
    return found
  }

  /** Whether a credential is anywhere in a text. */
  isIn(text: string): boolean {
    for (const part of this.#parts) if (text.includes(part)) return true
    return false
  }

  #addNamed(pair: unknown, isCredential: boolean): void {
    const { name, value } = objectOf(pair)
    if (typeof name !== 'string' || typeof value !== 'string') return
    if (publicName.test(name) || !(secretName.test(name) || (isCredential && requestName.test(name)))) return
    this.#add(value, isCredential)
    // `Bearer …`, `session=…; id=…`, and two halves of HTTP Basic.
    for (const word of value.split(/[\s;,=]+/)) {
      this.#add(word.replaceAll('"', ''), isCredential)
      if (/^Basic /i.test(value) && /^[\w+/=-]{4,400}$/.test(word))
        for (const half of Buffer.from(word, 'base64').toString('utf8').split(':')) this.#add(half, isCredential)
    }
  }

  #addUrl(address: string | undefined): void {
    if (address === undefined || !URL.canParse(address)) return
    const { username, password, searchParams, hash } = new URL(address)
    this.#add(decoded(username), true)
    this.#add(decoded(password), true)
    for (const parameters of [searchParams, new URLSearchParams(hash.slice(1))])
      for (const [name, value] of parameters) this.#addNamed({ name, value }, true)
  }

  #addBody(text: string | undefined, isCredential: boolean): void {
    if (text === undefined) return
    try {
      this.#addValue(JSON.parse(text), isCredential, 0)
    } catch {
      if (text.length < 100_000 && /^[\w.%[\]-]+=/.test(text))
        for (const [name, value] of new URLSearchParams(text)) this.#addNamed({ name, value }, isCredential)
    }
  }

  #addValue(value: unknown, isCredential: boolean, level: number): void {
    if (level > levelsMax) return
    if (Array.isArray(value)) for (const item of value) this.#addValue(item, isCredential, level + 1)
    else if (isJson(value)) {
      for (const [name, inner] of Object.entries(value)) {
        if (typeof inner === 'string') this.#addNamed({ name, value: inner }, isCredential)
        else this.#addValue(inner, isCredential, level + 1)
      }
    }
  }

  #add(value: string | undefined, isCredential: boolean): void {
    if (value === undefined || value.length < charactersMin || schemeWord.test(value)) return
    if (this.#values.size < valuesMax) this.#values.add(value)
    if (isCredential && value.length >= partCharactersMin && this.#parts.size < partsMax) this.#parts.add(value)
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
