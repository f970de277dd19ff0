import { describe, expect, test } from 'vitest'
import { run } from '../run.ts'
import { testTerminal } from '../testkit/test-terminal.ts'
import { defaultUrl, readSettings } from './settings.ts'

describe('an address of the service that cannot be one', () => {
  const addresses = ['nonsense', 'localhost:4100', 'ftp://mortise.example.com', 'http://']

  test.each(addresses)('%j in MORTISE_URL is a usage error that names it', async (url) => {
    const terminal = testTerminal({ env: { MORTISE_URL: url, MORTISE_API_KEY: 'key' } })
    expect(await run(['list', 'projects'], terminal)).toBe(2)
    expect(terminal.output().stderr).toContain(`MORTISE_URL is not the address of a service: “${url}”.`)
  })

  test.each([...addresses, ''])('%j in --url is one too', async (url) => {
    const terminal = testTerminal({ env: { MORTISE_URL: 'http://localhost:1', MORTISE_API_KEY: 'key' } })
    expect(await run(['list', 'projects', '--url', url], terminal)).toBe(2)
    expect(terminal.output().stderr).toContain(`--url is not the address of a service: “${url}”.`)
  })
})

test.each([
  ['', defaultUrl],
  ['http://localhost:4197/v1/', 'http://localhost:4197'],
])('MORTISE_URL=%j is %s', async (url, expected) => {
  const terminal = testTerminal({ env: { MORTISE_URL: url, MORTISE_API_KEY: 'key' } })
  expect(await readSettings({}, terminal)).toMatchObject({ url: expected })
})
