import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DeployRig, type ProblemBody, startDeployRig } from '../../../testkit/deploy-rig.ts'
import { insertApiKey } from '../../../testkit/test-project.ts'

let rig: DeployRig
beforeAll(async () => {
  rig = await startDeployRig()
})
afterAll(() => rig?.stop())

it('an API key lists its one project', async () => {
  const { status, body } = await rig.call<Record<string, unknown>[]>('GET', '/projects')
  expect(status).toBe(200)
  expect(body).toEqual([
    {
      id: rig.projectId,
      name: 'default',
      appName: 'default',
      orgId: expect.any(String),
      createTime: expect.any(String),
    },
  ])
})

it('a project is found by its id and by its name in any case', async () => {
  for (const ref of [rig.projectId, rig.projectId.toUpperCase(), 'default', 'DEFAULT'])
    expect((await rig.call('GET', `/projects/${ref}`)).body['id']).toBe(rig.projectId)
})

it('entitlements are told only when asked for', async () => {
  expect((await rig.call('GET', '/projects/default')).body).not.toHaveProperty('entitlements')
  const { body } = await rig.call('GET', '/projects/default?includeEntitlements=true')
  expect(body['entitlements']).toEqual({ brandingRemoval: { value: true }, logRetentionDays: { value: 30 } })
  const odd = await rig.call<ProblemBody>('GET', '/projects/default?includeEntitlements=yes')
  expect([odd.status, odd.body.issues[0]?.name]).toEqual([400, 'includeEntitlements'])
})

it("another project's id and name look like a missing one", async () => {
  const bare = ({ body }: { body: ProblemBody }) => ({ status: body.status, detail: body.detail, title: body.title })
  const missing = bare(await rig.call<ProblemBody>('GET', '/projects/nobody'))
  expect(missing.status).toBe(404)
  for (const ref of [rig.other.id, 'other'])
    expect(bare(await rig.call<ProblemBody>('GET', `/projects/${ref}`))).toEqual(missing)
})

it('a frontend key sees its project and its integrations, and neither lists projects nor deploys', async () => {
  const apiKey = await insertApiKey(
    { database: rig.testDatabase.database, keyring: rig.keyring },
    rig.projectId,
    'frontend',
  )
  const status = async (method: string, path: string, body?: unknown) =>
    (await rig.call(method, path, body, { apiKey })).status
  expect(await status('GET', '/projects/default')).toBe(200)
  expect(await status('GET', '/projects/default/integrations')).toBe(200)
  expect(await status('GET', '/projects')).toBe(403)
  expect(await status('PUT', '/projects/default/integrations:batch', { sourceYaml: 'a' })).toBe(403)
  expect(await status('GET', '/generate-upload-url')).toBe(403)
})

it('the logo and the connect settings are stored as a whole or by part, and removed', async () => {
  const change = async (updateMask: string[], project: object) => {
    const answer = await rig.call<Record<string, unknown>>('PATCH', '/projects/default', { updateMask, project })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    const { logoUrl, connect } = answer.body
    return { logoUrl, connect }
  }
  const theme = {
    accent: '#1c6b50',
    radius: '.5rem',
    font: '"Inter", system-ui , \'Open Sans\'',
    dark: { text: 'rgb(255 255 255 / 90%)' },
  }
  const settings = {
    theme: { ...theme, radius: '0.5rem' },
    frameOrigins: ['https://app.example.com'],
    language: 'pt-BR',
  }
  const logoUrl = 'https://cdn.example.com/logo.svg'
  expect(await change(['logoUrl', 'connect'], { logoUrl, connect: settings })).toEqual({ logoUrl, connect: settings })
  const messages = { de: { 'done.title': 'Fertig' } }
  expect(await change(['connect.messages', 'connect.language'], { connect: { messages, language: '' } })).toEqual({
    logoUrl,
    connect: { theme: settings.theme, frameOrigins: settings.frameOrigins, messages },
  })
  expect((await rig.call('GET', '/projects/default')).body).toMatchObject({ logoUrl, connect: { messages } })
  expect(await change(['logoUrl', 'connect'], { logoUrl: '', connect: {} })).toEqual({})
})

it.each([
  ['logoUrl', { logoUrl: 'http://cdn.example.com/logo.svg' }, 'project.logoUrl'],
  ['logoUrl', { logoUrl: 'javascript:alert(1)' }, 'project.logoUrl'],
  ['connect', { connect: { theme: { accent: 'red;} body{display:none' } } }, 'project.connect.theme.accent'],
  ['connect', { connect: { theme: { accent: 'url(https://evil.example)' } } }, 'project.connect.theme.accent'],
  ['connect.theme', { connect: { theme: { dark: { text: '#12' } } } }, 'project.connect.theme.dark.text'],
  ['connect.theme', { connect: { theme: { font: 'a}b' } } }, 'project.connect.theme.font'],
  ['connect.theme', { connect: { theme: { font: 'Inter,\nArial' } } }, 'project.connect.theme.font'],
  ['connect.theme', { connect: { theme: { font: '"Inter, Arial' } } }, 'project.connect.theme.font'],
  ['connect.theme', { connect: { theme: { font: 'Inter, , Arial' } } }, 'project.connect.theme.font'],
  ['connect.theme', { connect: { theme: { font: `${' '.repeat(190)}}` } } }, 'project.connect.theme.font'],
  ['connect.theme', { connect: { theme: { radius: 'calc(1px)' } } }, 'project.connect.theme.radius'],
  ['connect', { connect: { frameOrigins: ['https://app.example.com/path'] } }, 'project.connect.frameOrigins[0]'],
  ['connect', { connect: { frameOrigins: ['http://app.example.com'] } }, 'project.connect.frameOrigins[0]'],
  [
    'connect',
    { connect: { frameOrigins: ["https://a.example; script-src 'unsafe-inline'"] } },
    'project.connect.frameOrigins[0]',
  ],
  ['connect', { connect: { frameOrigins: ['https://a;sandbox'] } }, 'project.connect.frameOrigins[0]'],
  ['connect', { connect: { frameOrigins: ['https://*.example.com'] } }, 'project.connect.frameOrigins[0]'],
  ['connect', { connect: { frameOrigins: ['*'] } }, 'project.connect.frameOrigins[0]'],
  ['connect.language', { connect: { language: 'no language' } }, 'project.connect.language'],
  ['connect.messages', { connect: { messages: { de: { '<b>': 'x' } } } }, 'project.connect.messages.de'],
  ['connect.theme', { connect: { language: 'de' } }, 'project.connect.theme'],
])('what could end a rule, a header or a page is refused: %s %j', async (mask, project, name) => {
  const answer = await rig.call<ProblemBody>('PATCH', '/projects/default', { updateMask: [mask], project })
  expect([answer.status, answer.body.issues?.map((issue) => issue.name)]).toEqual([400, [name]])
  expect((await rig.call('GET', '/projects/default')).body).not.toHaveProperty('connect')
})
