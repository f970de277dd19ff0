import { expect, test } from 'vitest'
import { readTokenBody } from './read-token-body.ts'

const read = (body: object) =>
  readTokenBody(
    {
      ...{ status: 200, headers: { 'content-type': 'application/json' }, url: 'https://acme.example/token' },
      ...{ body: Buffer.from(JSON.stringify(body)), truncated: false },
    },
    { provider: 'Acme', secrets: [], now: new Date() },
  )

test.each(['DPoP', 'dpop'])('a token of type %s is refused: no request has the proof that it needs', (type) => {
  expect(() => read({ access_token: 'at', refresh_token: 'rt', token_type: type })).toThrow(
    expect.objectContaining({ name: 'TokenRefused', error: 'token_type_not_supported' }),
  )
})

test.each(['Bearer', 'bearer', 'BearerToken', 5, undefined])('a token of type %s is sent as the file says', (type) => {
  expect(read({ access_token: 'at', token_type: type })).toMatchObject({
    access_token: 'at',
    token_type: expect.stringMatching(/^bearer$/i),
  })
})
