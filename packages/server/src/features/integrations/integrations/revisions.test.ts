import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { type DeployRig, type IntegrationBody, type ProblemBody, startDeployRig } from '../../../testkit/deploy-rig.ts'

let rig: DeployRig
let count = 0
let name = ''
beforeAll(async () => {
  rig = await startDeployRig()
})
afterAll(() => rig?.stop())
beforeEach(() => {
  rig.changes.length = 0
  name = `posted-${++count}`
})

const path = '/projects/default/integrations'
const object = (objectName: string) => ({
  objectName,
  destination: 'hook',
  schedule: '*/30 * * * *',
  requiredFields: [{ fieldName: 'id' }],
})
const contentOf = (...objects: string[]) => ({ name, provider: 'hubspot', read: { objects: objects.map(object) } })
const posted = (content: object = contentOf('contacts'), change: object = {}) => ({
  id: '',
  projectId: '',
  name,
  provider: 'hubspot',
  latestRevision: { id: '', specVersion: '1.0.0', content },
  ...change,
})
const create = (body: unknown = posted()) => rig.call<ProblemBody>('POST', path, body)
const get = async () => (await rig.call<IntegrationBody>('GET', `${path}/${name}`)).body
const manifest = (...contents: object[]) => JSON.stringify({ specVersion: '1.0.0', integrations: contents })
const revise = (body: object, query = '', of = name) =>
  rig.call<ProblemBody>('POST', `${path}/${of}/revisions${query}`, body)

describe('an integration that is posted', () => {
  it('is there as if it had been deployed; the answer is empty', async () => {
    const answer = await create()
    expect(answer.status).toBe(201)
    expect(answer.body).toBeUndefined()
    const integration = await get()
    expect(integration).toMatchObject({
      name,
      provider: 'hubspot',
      projectId: rig.projectId,
      latestRevision: { specVersion: '1.0.0', content: contentOf('contacts') },
    })
    expect(rig.changes).toMatchObject([{ integrationId: integration.id, before: undefined, destructive: false }])
    // A deploy of the same makes no second revision of it.
    const deployed = await rig.deploy(manifest(contentOf('contacts')))
    expect(deployed.body[0]).toEqual(integration)
  })

  it('may leave name and provider out of its content, and what existing clients add is ignored', async () => {
    const { read } = contentOf('contacts')
    expect((await create(posted({ read, extra: { a: 1 } }))).status).toBe(201)
    expect((await get()).latestRevision.content).toEqual(contentOf('contacts'))
  })

  it('tells all that is wrong with it at once, at its place in the body', async () => {
    await create()
    const { objectName: _, ...nameless } = object('x')
    const content = { name: 'other', provider: 'hubspot', read: { objects: [object('a'), object('a'), nameless] } }
    const { status, body } = await create(posted(content, { latestRevision: { specVersion: '2.0.0', content } }))
    expect(status).toBe(422)
    expect(body.issues.map(({ in: part, name: place }) => `${part} ${place}`).toSorted()).toEqual([
      'body latestRevision.content.name',
      'body latestRevision.content.read.objects[1].objectName',
      'body latestRevision.content.read.objects[2].objectName',
      'body latestRevision.specVersion',
      'body name',
    ])
    expect(body.issues.every(({ detail }) => detail.length > 0)).toBe(true)
  })

  it('takes no name twice, not even at the same moment', async () => {
    const answers = await Promise.all([create(), create(), create()])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422])
    expect(answers.find(({ status }) => status === 422)?.body.issues).toMatchObject([{ in: 'body', name: 'name' }])
    expect(rig.changes).toHaveLength(1)
  })

  it.each([
    ['nothing', {}],
    ['no revision', { name: 'a', provider: 'hubspot' }],
    ['a content that is a text', posted('nope' as never)],
    ['a revision without content', { name: 'a', provider: 'hubspot', latestRevision: { specVersion: '1.0.0' } }],
  ])('%s: 400', async (_, body) => {
    expect((await create(body)).status).toBe(400)
  })

  it('is refused like a manifest where it is one in name only', async () => {
    for (const content of [
      { read: { objects: 'x' } },
      { read: { objects: [{ ...object('a'), schedule: '61 * * * *' }] } },
      { read: JSON.parse('{"<<": {"objects": []}}') },
    ])
      expect((await create(posted(content))).status).toBe(422)
    expect(
      (await create(posted(contentOf('a'), { provider: 'nobody' }))).body.issues.map((issue) => issue.name),
    ).toContain('latestRevision.content.provider')
  })
})

describe('a revision', () => {
  it('is added to the integration of the path alone, by id or name', async () => {
    await create()
    const before = await get()
    const other = { ...contentOf('contacts'), name: `${name}-other` }
    const answer = await revise({ sourceYaml: manifest(other, contentOf('contacts', 'deals')) }, '', before.id)
    expect(answer).toMatchObject({ status: 201, body: undefined })
    expect(answer.headers.get('x-mortise-advice-count')).not.toBeNull()
    const after = await get()
    expect(after.id).toBe(before.id)
    expect(after.latestRevision.id).not.toBe(before.latestRevision.id)
    expect(after.latestRevision.content).toEqual(contentOf('contacts', 'deals'))
    expect((await rig.call('GET', `${path}/${other.name}`)).status).toBe(404)
  })

  it('says what it removed, destructively or not', async () => {
    await create(posted(contentOf('contacts', 'deals')))
    rig.changes.length = 0
    await revise({ sourceYaml: manifest(contentOf('contacts')) }, '?destructive=true')
    expect(rig.changes).toMatchObject([{ destructive: true, before: contentOf('contacts', 'deals') }])
  })

  it('is none where nothing changed', async () => {
    await create()
    const before = await get()
    expect((await revise({ sourceYaml: manifest(contentOf('contacts')) })).status).toBe(201)
    expect(await get()).toEqual(before)
  })

  it('needs a manifest that defines the integration', async () => {
    await create()
    const { status, body } = await revise({ sourceYaml: manifest({ ...contentOf('contacts'), name: `${name}x` }) })
    expect(status).toBe(422)
    expect(body.issues).toMatchObject([{ in: 'body', name: 'sourceYaml', remedy: expect.stringContaining(`${name}x`) }])
  })

  it('needs exactly one source, a valid manifest, and an integration', async () => {
    await create()
    expect((await revise({})).status).toBe(422)
    expect((await revise({ sourceYaml: 'a', sourceZipUrl: 'b' })).status).toBe(422)
    expect((await revise({ sourceYaml: 'integrations: []' })).status).toBe(422)
    expect((await revise({ sourceYaml: 5 })).status).toBe(400)
    expect((await revise({ sourceYaml: manifest(contentOf('a')) }, '?destructive=maybe')).status).toBe(400)
    const unknown = await revise({ sourceYaml: manifest(contentOf('a')) }, '', newId())
    expect(unknown).toMatchObject({ status: 404, body: { context: { code: 'integration-not-found' } } })
  })
})

describe('the list of revisions', () => {
  it('is newest first and can be paged; others do not see it', async () => {
    await create()
    for (const added of ['deals', 'leads']) await revise({ sourceYaml: manifest(contentOf('contacts', added)) })
    const list = (query = '') => rig.call<{ id: string; content: object }[]>('GET', `${path}/${name}/revisions${query}`)
    const all = (await list()).body
    expect(all.map(({ content }) => content)).toEqual([
      contentOf('contacts', 'leads'),
      contentOf('contacts', 'deals'),
      contentOf('contacts'),
    ])
    expect(all[0]).toEqual((await get()).latestRevision)
    const first = await list('?pageSize=2')
    expect(first.body).toEqual(all.slice(0, 2))
    const rest = await list(`?pageSize=2&pageToken=${first.headers.get('x-next-page-token')}`)
    expect(rest.body).toEqual(all.slice(2))
    const stranger = { apiKey: rig.other.apiKey }
    expect((await rig.call('GET', `/projects/other/integrations/${name}/revisions`, undefined, stranger)).status).toBe(
      404,
    )
  })
})
