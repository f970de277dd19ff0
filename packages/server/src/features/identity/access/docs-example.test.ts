import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { createSigner } from '../../../testkit/test-consumer.ts'

const root = new URL('../../../../../../', import.meta.url)
const run = promisify(execFile)

let app: TestApp
let home: string
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  home = await mkdtemp(join(tmpdir(), 'mortise-docs-'))
})
afterAll(async () => {
  await app?.stop()
  await rm(home, { recursive: true, force: true })
})

it('a token that is signed as docs/api-keys.md says calls for its group and consumer', async () => {
  const page = await readFile(new URL('docs/api-keys.md', root), 'utf8')
  const example = /^ *```js\n(.*?)^ *```$/ms.exec(page)?.[1]
  expect(example).toContain('consumerToken')
  const { kid, privateKey } = await createSigner(app)
  const keyFile = join(home, 'private.pem')
  await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const code = `${example}\nconsole.log(await consumerToken('acme', 'ann'))`
  // Packages are found from here, as they are from the server of whoever follows the page.
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: fileURLToPath(new URL('packages/server/', root)),
    env: { ...process.env, PRIVATE_KEY_FILE: keyFile, MORTISE_JWT_KEY_ID: kid },
  })
  const headers = { authorization: `Bearer ${stdout.trim()}` }
  const status = async (query: string) =>
    (await app.call('GET', `/projects/default/connections?${query}`, undefined, { apiKey: null, headers })).status
  expect(await status('groupRef=acme&consumerRef=ann')).toBe(200)
  expect(await status('groupRef=globex')).toBe(403)
})
