import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type SignInKit,
  startSignInKit,
} from '../packages/server/src/features/agents/agent-sessions/sign-in.testkit.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'

/** The page in `docs/tools.md` is run as it stands there, but for addresses and the key. */

const publicUrl = 'https://mortise.example.com'
const session = `
export const currentUser = ({ headers }) =>
  headers.cookie === 'user=ada' ? { id: 'ada', name: 'Ada', companyId: 'acme', companyName: 'Acme & <b>' } : undefined
export const formToken = () => 'the-token'
export const signInFirst = (_request, response) => response.writeHead(401).end()
`

let app: TestApp
let kit: SignInKit
let folder: string
let server: Server
let page: string
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api', MORTISE_PUBLIC_URL: publicUrl } })
  kit = await startSignInKit(app, publicUrl)
  const guide = await readFile(new URL('../docs/tools.md', import.meta.url), 'utf8')
  const block = [...guide.matchAll(/```ts\n([^`]*(?:`[^`]+)*?)\n```/g)].find(([, text]) =>
    text?.includes('createServer'),
  )
  folder = await mkdtemp(join(tmpdir(), 'mortise-page-'))
  await writeFile(join(folder, 'session.ts'), session)
  const replaced = [
    [`${publicUrl}/v1`, `${app.url}/v1`],
    ["process.env.MORTISE_API_KEY ?? ''", JSON.stringify(app.apiKey)],
    ['\ncreateServer(', '\nexport const server = createServer('],
    ['.listen(3000)', ".listen(0, '127.0.0.1')"],
  ] as const
  let text = block?.[1] ?? ''
  for (const [from, to] of replaced) {
    expect(text).toContain(from)
    text = text.replace(from, to)
  }
  await writeFile(join(folder, 'page.ts'), text)
  ;({ server } = (await import(/* @vite-ignore */ pathToFileURL(join(folder, 'page.ts')).href)) as { server: Server })
  if (!server.listening) await once(server, 'listening')
  page = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agents/sign-in`
})
afterAll(async () => {
  server?.closeAllConnections()
  server?.close()
  await app?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const ask = (id: string, form?: Record<string, string>, cookie = 'user=ada') =>
  fetch(`${page}?request=${id}`, {
    redirect: 'manual',
    headers: { cookie },
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
  })

it('shows who asks, and completes the sign-in of the user who agrees', async () => {
  const { id, browser } = await kit.begin()
  const shown = await (await ask(id)).text()
  for (const text of ['Connect Desk?', '<b>127.0.0.1</b>', 'a program on this computer', 'Acme &#38; &#60;b&#62;'])
    expect(shown).toContain(text)
  const answer = await ask(id, { token: 'the-token', answer: 'yes' })
  expect(answer.status).toBe(303)
  const back = await kit.follow(browser, answer.headers.get('location') ?? '')
  expect(new URL(back.location ?? '').searchParams.get('code')).toMatch(/^[\w-]{43}$/)
  expect((await ask(id)).status).toBe(410)
})

it('refuses for a user who does not agree', async () => {
  const { id, browser } = await kit.begin()
  const answer = await ask(id, { token: 'the-token', answer: 'no' })
  const back = await kit.follow(browser, answer.headers.get('location') ?? '')
  expect(new URL(back.location ?? '').searchParams.get('error')).toBe('access_denied')
})

it('does nothing for a forged form, without a user, or without a request', async () => {
  const { id } = await kit.begin()
  expect((await ask(id, { token: 'forged', answer: 'yes' })).status).toBe(403)
  expect((await ask(id, { token: 'the-token', answer: 'yes' }, '')).status).toBe(401)
  expect((await ask('nothing')).status).toBe(410)
  expect((await ask('', { token: 'the-token', answer: 'yes' })).status).toBe(410)
  const { body } = await app.call('GET', `/projects/${app.projectId}/agent-sign-ins/${id}`)
  expect(body).toMatchObject({ status: 'waiting' })
})
