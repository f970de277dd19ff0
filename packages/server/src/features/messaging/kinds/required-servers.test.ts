import { afterEach, expect, it, vi } from 'vitest'
import { freePort } from '../../../testkit/free-port.ts'
import { hasLocalServer } from '../../../testkit/local-server.ts'
import { hasServerAt } from './server-at.testkit.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

it('a server that is required and missing is an error, and otherwise its tests are skipped', async () => {
  const port = await freePort()
  const program = 'no-such-server'
  expect([await hasServerAt(port, 'Missing'), hasLocalServer({ name: 'Missing', program })]).toEqual([false, false])
  vi.stubEnv('MORTISE_REQUIRE_MISSING', '1')
  await expect(hasServerAt(port, 'Missing')).rejects.toThrow('there is no Missing')
  expect(() => hasLocalServer({ name: 'Missing', program })).toThrow('there is no no-such-server')
})
