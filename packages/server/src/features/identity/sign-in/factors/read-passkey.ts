import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { CreatedPasskey, UsedPasskey } from './passkeys.ts'

const text = Type.String({ maxLength: 12_000 })
const credential = { id: text, rawId: text, type: Type.Literal('public-key') }

const Created = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: text,
    attestationObject: text,
    transports: Type.Optional(Type.Array(text, { maxItems: 20 })),
  }),
})
const Used = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: text,
    authenticatorData: text,
    signature: text,
    userHandle: Type.Optional(text),
  }),
})

/** Reads what the script of a page put into its form; undefined for anything else. */
export function readCreatedPasskey(form: URLSearchParams): CreatedPasskey | undefined {
  const value = parsed(form)
  return Value.Check(Created, value) ? value : undefined
}

export function readUsedPasskey(form: URLSearchParams): UsedPasskey | undefined {
  const value = parsed(form)
  return Value.Check(Used, value) ? value : undefined
}

function parsed(form: URLSearchParams): unknown {
  try {
    return JSON.parse(form.get('response') ?? '')
  } catch {
    return undefined
  }
}
