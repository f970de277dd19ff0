import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test('flags win over the environment, which wins over the defaults', () => {
  const config = readConfig(['--port', '1', '--rate-limit=0'], { PORT: '2', CONTACTS: '3' })
  const rest = { host: '127.0.0.1', apiKey: 'demo-key', seed: 1, oauth: undefined }
  expect(config).toEqual({ port: 1, contacts: 3, rateLimit: 0, ...rest })
})

test.each([[['--port', 'x']], [['--contacts=-1']], [['--what']]])('%j is refused', (args) => {
  expect(() => readConfig(args, {})).toThrow(TypeError)
})

test('a redirect URI turns OAuth on', () => {
  const redirectUri = 'http://localhost:4100/callbacks/v1/oauth'
  expect(readConfig(['--redirect-uri', redirectUri], { CLIENT_ID: 'mine' }).oauth).toMatchObject({
    clientId: 'mine',
    redirectUris: [redirectUri],
  })
})
