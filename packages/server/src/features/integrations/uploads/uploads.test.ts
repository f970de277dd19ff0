import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { craftZip } from '../../../testkit/craft-zip.ts'
import { type DeployRig, type IntegrationBody, type ProblemBody, startDeployRig } from '../../../testkit/deploy-rig.ts'
import { deleteExpiredUploads } from './index.ts'

let rig: DeployRig
beforeAll(async () => {
  rig = await startDeployRig()
})
afterAll(() => rig?.stop())

const yaml = (name: string) => `specVersion: 1.0.0
integrations:
  - { name: ${name}, provider: hubspot, proxy: { enabled: true } }
`
const zip = (name: string) => craftZip([{ name: 'amp.yaml', content: yaml(name) }])
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('base64')

interface SignedUrl {
  url: string
  bucket: string
  path: string
}

const urlFor = async (query = '', apiKey = rig.apiKey) =>
  (await rig.call<SignedUrl>('GET', `/generate-upload-url${query}`, undefined, { apiKey })).body
const put = async (url: string, body: Buffer, headers: Record<string, string> = {}) => {
  const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(body), headers })
  const text = await answer.text()
  return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as ProblemBody }
}
const deployZip = <T = IntegrationBody[]>(sourceZipUrl: string, apiKey = rig.apiKey, project = 'default') =>
  rig.call<T>('PUT', `/projects/${project}/integrations:batch`, { sourceZipUrl }, { apiKey })

describe('an upload', () => {
  it('is announced, put without a credential, and deployed, as command lines do', async () => {
    const bytes = zip('uploaded')
    const { url, bucket, path } = await urlFor(`?md5=${encodeURIComponent(md5(bytes))}`)
    expect(new URL(url).pathname).toMatch(new RegExp(`/${bucket}/${path}$`))
    expect((await put(url, bytes, { 'content-md5': md5(bytes) })).status).toBe(204)
    const { status, body } = await deployZip(`gs://${bucket}/${path}`)
    expect(status).toBe(200)
    expect(body.map(({ name }) => name)).toEqual(['uploaded'])
  })

  it('can be deployed by the URL that it was put to', async () => {
    const { url } = await urlFor()
    await put(url, zip('by-url'))
    expect((await deployZip(url)).body[0]?.name).toBe('by-url')
  })

  it('can be replaced until it is deployed, and serves one deploy', async () => {
    const { url, bucket, path } = await urlFor()
    await put(url, zip('first'))
    await put(url, zip('second'))
    const source = `gs://${bucket}/${path}`
    expect((await deployZip(source)).body[0]?.name).toBe('second')
    const again = await deployZip<ProblemBody>(source)
    expect(again.status).toBe(422)
    expect(again.body.issues[0]).toMatchObject({ name: 'sourceZipUrl', context: { rule: 'source-upload' } })
    const late = await put(url, zip('third'))
    expect([late.status, late.body.context.code]).toEqual([404, 'upload-gone'])
  })

  it('outlives a deploy that was refused, and a validation', async () => {
    const { url, bucket, path } = await urlFor()
    const sourceZipUrl = `gs://${bucket}/${path}`
    await put(url, craftZip([{ name: 'amp.yaml', content: 'specVersion: 1.0.0' }]))
    expect((await deployZip(sourceZipUrl)).status).toBe(422)
    await put(url, zip('second-try'))
    const looked = await rig.call('POST', '/projects/default/integrations:validate', { sourceZipUrl })
    expect(looked.body).toEqual({ valid: true, findings: [] })
    expect((await deployZip(sourceZipUrl)).status).toBe(200)
  })

  it('must be the file that was announced, and undamaged', async () => {
    const bytes = zip('announced')
    const { url } = await urlFor(`?md5=${encodeURIComponent(md5(bytes))}`)
    const other = await put(url, zip('another'))
    expect([other.status, other.body.issues[0]?.in]).toEqual([400, 'body'])
    const damaged = await put((await urlFor()).url, bytes, { 'content-md5': md5(zip('another')) })
    expect([damaged.status, damaged.body.issues[0]?.name]).toEqual([400, 'Content-MD5'])
    expect((await put((await urlFor()).url, Buffer.alloc(0))).status).toBe(400)
  })

  it('is refused beyond 10 MB, with and without an announced length', async () => {
    const { url } = await urlFor()
    const large = Buffer.alloc(10 * 1024 * 1024 + 1)
    expect((await put(url, large)).status).toBe(413)
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < 11; at++) controller.enqueue(new Uint8Array(1024 * 1024))
        controller.close()
      },
    })
    const answer = await fetch(url, { method: 'PUT', body: stream, duplex: 'half' } as RequestInit)
    expect(answer.status).toBe(413)
  })

  it('needs the whole signature, for this upload, in time', async () => {
    const { url } = await urlFor()
    const another = new URL((await urlFor()).url)
    const forged = [
      url.replace(/signature=.{5}/, 'signature=AAAAA'),
      url.replace(/expires=\d+/, 'expires=99999999999'),
      `${another.origin}${another.pathname}${new URL(url).search}`,
      `${url}&signature=x`,
    ]
    for (const each of forged) expect([400, 403]).toContain((await put(each, zip('forged'))).status)
    rig.clock.advance(15 * 60_000 + 1_000)
    const late = await put(url, zip('late'))
    rig.clock.advance(-15 * 60_000 - 1_000)
    expect([late.status, late.body.context.code]).toEqual([403, 'upload-url-invalid'])
  })

  it('of another project looks like none', async () => {
    const { url, bucket, path } = await urlFor()
    await put(url, zip('mine'))
    const foreign = await deployZip<ProblemBody>(`gs://${bucket}/${path}`, rig.other.apiKey, 'other')
    const none = await deployZip<ProblemBody>(`gs://${bucket}/${crypto.randomUUID()}`, rig.other.apiKey, 'other')
    expect(foreign.status).toBe(422)
    expect(foreign.body.issues[0]?.detail).toBe(none.body.issues[0]?.detail)
  })

  it('is deleted when it has expired, and only then', async () => {
    const [kept, old] = [await urlFor(), await urlFor()]
    await put(kept.url, zip('kept'))
    await rig.db.sql
      .updateTable('uploads')
      .set({ expire_time: new Date(0) })
      .where('id', '=', old.path)
      .execute()
    expect((await deleteExpiredUploads(rig.testDatabase.database)).deleted).toBe(1)
    const left = await rig.db.sql.selectFrom('uploads').select('id').execute()
    expect(left.map(({ id }) => id)).toContain(kept.path)
    expect(left.map(({ id }) => id)).not.toContain(old.path)
  })

  it('is not announced while a hundred others of the project are open', async () => {
    const { sql, projectId } = rig.db
    const open = Array.from({ length: 100 }, () => ({
      project_id: projectId,
      id: newId(),
      expire_time: new Date(Date.now() + 60_000),
    }))
    await sql.insertInto('uploads').values(open).execute()
    const refused = await rig.call<ProblemBody>('GET', '/generate-upload-url')
    expect([refused.status, refused.body.context.code]).toEqual([429, 'too-many-uploads'])
    await sql
      .updateTable('uploads')
      .set({ expire_time: new Date(0) })
      .where(
        'id',
        'in',
        open.map(({ id }) => id),
      )
      .execute()
    expect((await rig.call('GET', '/generate-upload-url')).status).toBe(200)
  })

  it('is not announced with what is no MD5', async () => {
    for (const text of ['abc', 'A'.repeat(22), `${'A'.repeat(21)}B==`]) {
      const answer = await rig.call<ProblemBody>('GET', `/generate-upload-url?md5=${text}`)
      expect([answer.status, answer.body.issues[0]?.name]).toEqual([422, 'md5'])
    }
  })
})
