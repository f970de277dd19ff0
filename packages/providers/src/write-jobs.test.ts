import { describe, expect, it } from 'vitest'
import type { BatchWriteItem } from './connector.ts'
import type { Answer, SeenRequest } from './testing/http-server.testkit.ts'
import { asked, openProvider } from './testing/open-provider.testkit.ts'

/** Write jobs as the documentation of Salesforce (Bulk API 2.0) shows them. */

const jobs = '/services/data/v60.0/jobs/ingest'

/** A server that accepts the requests of one job, in their order only. */
function ingest(results: Partial<Record<'successfulResults' | 'failedResults' | 'unprocessedrecords', Answer>> = {}) {
  const job = { state: 'none', text: '' }
  const answer = ({ method, url: { pathname }, headers, body }: SeenRequest): Answer => {
    const refuse = (message: string): Answer => ({ status: 400, body: [{ errorCode: 'INVALIDJOBSTATE', message }] })
    if (method === 'POST' && pathname === jobs) {
      job.state = 'Open'
      return { body: { id: '750x', state: 'Open', ...JSON.parse(body) } }
    }
    if (method === 'PUT' && pathname === `${jobs}/750x/batches`) {
      if (job.state !== 'Open' || job.text !== '') return refuse('The job has its data.')
      if (!headers['content-type']?.startsWith('text/csv')) return refuse('The data is no CSV.')
      job.text = body
      return { status: 201 }
    }
    if (method === 'PATCH' && pathname === `${jobs}/750x`) {
      const { state } = JSON.parse(body)
      if (state === 'UploadComplete' && job.state !== 'Open') return refuse('The job was started.')
      job.state = state
      return { body: { id: '750x', state } }
    }
    if (method === 'GET' && pathname === `${jobs}/750x`) return { body: { id: '750x', state: job.state } }
    const name = pathname.slice(`${jobs}/750x/`.length) as keyof typeof results
    return results[name] ?? { headers: { 'content-type': 'text/csv' }, body: '"sf__Id","sf__Error","Name"\n' }
  }
  return { job, answer }
}

async function opened(answer: (seen: SeenRequest) => Answer, type: 'create' | 'update' = 'create') {
  const provider = await openProvider('salesforce', answer, { metadata: { workspace: 'acme' } })
  const job = provider.connector.writeJob('Account', type)
  if (job === undefined) throw new Error('There is no job.')
  return { job, provider }
}

const items: BatchWriteItem[] = [
  { record: { Name: 'Acme, "Inc."\nBerlin', NumberOfEmployees: 12, Active__c: true } },
  { record: { Name: 'Beta', Phone: null } },
  { record: { Name: 'Beta', Phone: null } },
]
const text = [
  '"Name","NumberOfEmployees","Active__c","Phone"\n',
  '"Acme, ""Inc.""\nBerlin","12","true",\n',
  '"Beta",,,"#N/A"\n'.repeat(2),
].join('')

describe('a job of Salesforce', () => {
  it('is created, gets its records as CSV, is started, and reports its state', async () => {
    const { job: at, answer } = ingest()
    const { job, provider } = await opened(answer)
    await using _ = provider
    expect(job.rows(items)).toEqual({ text, count: 3 })
    const id = (await job.submit())!
    expect(id).toBe('750x')
    expect(await job.upload(id, text)).toBe(true)
    expect(await job.state(id)).toEqual({ is: 'waiting' })
    await job.start(id)
    expect(await job.state(id)).toEqual({ is: 'running', waitMs: 10_000 })
    at.state = 'JobComplete'
    expect(await job.state(id)).toEqual({ is: 'done' })
    expect(asked(provider.seen)).toEqual([
      `POST ${jobs} {"operation":"insert","object":"Account","contentType":"CSV","columnDelimiter":"COMMA","lineEnding":"LF"}`,
      `PUT ${jobs}/750x/batches ${text}`,
      `GET ${jobs}/750x`,
      `PATCH ${jobs}/750x {"state":"UploadComplete"}`,
      `GET ${jobs}/750x`,
      `GET ${jobs}/750x`,
    ])
  })

  it('refuses a second upload, which is no error', async () => {
    const { job, provider } = await opened(ingest().answer)
    await using _ = provider
    const id = (await job.submit())!
    expect(await job.upload(id, text)).toBe(true)
    expect(await job.upload(id, text)).toBe(false)
  })

  it('names each record by its columns: the order of a result does not matter', async () => {
    const { job, provider } = await opened(
      ingest({
        successfulResults: {
          body: [
            '"sf__Id","sf__Created","Name","NumberOfEmployees","Active__c","Phone"\n',
            '"001B","true","Beta","","",""\n',
            '"001A","true","Acme, ""Inc.""\nBerlin","12","true",""\n',
          ].join(''),
        },
        failedResults: {
          body: '"sf__Id","sf__Error","Name","NumberOfEmployees","Active__c","Phone"\n"","REQUIRED:no:--","Beta","","","#N/A"\n',
        },
      }).answer,
    )
    await using _ = provider
    expect(await job.results('750x', items)).toEqual([
      { success: true, recordId: '001A' },
      { success: true, recordId: '001B' },
      { success: false, errors: [{ message: 'REQUIRED:no:--' }] },
    ])
  })

  it('says of a failed job which records were not processed, and why', async () => {
    const unprocessed = '"Name","NumberOfEmployees","Active__c","Phone"\n"Beta",,,"#N/A"\n"Beta",,,"#N/A"\n'
    const { job: at, answer } = ingest({ unprocessedrecords: { body: unprocessed } })
    const { job, provider } = await opened(answer)
    await using _ = provider
    at.state = 'Aborted'
    expect(await job.state('750x')).toEqual({ is: 'failed', why: 'The provider’s job ended as Aborted.' })
    const [first, ...others] = await job.results('750x', items, { why: 'It was aborted.' })
    expect(first).toBeUndefined()
    const errors = [{ message: 'This record was not processed. It was aborted.' }]
    expect(others).toEqual([
      { success: false, errors },
      { success: false, errors },
    ])
  })

  it('counts a record whose text the provider changed as written if everything that is left was', async () => {
    const body = '"sf__Id","Name"\n"001A","ACME"\n"001B","Beta"\n"001C","Beta"\n'
    const { job, provider } = await opened(ingest({ successfulResults: { body } }).answer)
    await using _ = provider
    const results = await job.results('750x', items)
    expect(results.map((result) => result?.recordId)).toEqual(['001A', '001B', '001C'])
    expect(results.every((result) => result?.success)).toBe(true)
  })

  it('of updates has a column with the id', async () => {
    const { job, provider } = await opened(ingest().answer, 'update')
    await using _ = provider
    const rows = job.rows([{ id: '001A', record: { Name: 'A' } }])
    expect(rows).toEqual({ text: '"Id","Name"\n"001A","A"\n', count: 1 })
  })

  it.each<[string, BatchWriteItem]>([
    ['a list', { record: { Name: ['a'] } }],
    ['an object', { record: { Owner: { Email: 'a' } } }],
    ['the text that clears a field', { record: { Name: '#N/A' } }],
    ['links', { record: { Name: 'a' }, associations: [{}] }],
    ['no field', { record: {} }],
  ])('is none for records with %s', async (_, item) => {
    const { job, provider } = await opened(ingest().answer)
    await using __ = provider
    expect(job.rows([item])).toBeUndefined()
  })

  it.each<[string, Answer]>([
    ['a page of HTML', { body: '<!doctype html><html><head><title>Maintenance</title></head></html>' }],
    ['half a line', { body: '"sf__Id","Name"\n"001A' }],
    ['another column', { body: '"Name"\n"Beta"\n' }],
    ['more rows than records', { body: `"sf__Id","Name"\n${'"001A","Beta"\n'.repeat(4)}` }],
    ['a redirect', { status: 302, headers: { location: 'https://elsewhere.example' } }],
  ])('with %s as a result is an error that says so', async (_, answer) => {
    const { job, provider } = await opened(ingest({ successfulResults: answer }).answer)
    await using __ = provider
    await expect(job.results('750x', items)).rejects.toMatchObject({ class: 'unexpected_response' })
  })

  it.each<[string, Answer]>([
    ['HTML', { body: '<!doctype html><html></html>' }],
    ['no id', { body: {} }],
    ['nothing', { body: '' }],
  ])('is not created by a response of %s', async (_, answer) => {
    const { job, provider } = await opened(() => answer)
    await using __ = provider
    await expect(job.submit()).rejects.toMatchObject({ class: 'unexpected_response' })
    await expect(job.state('750x')).rejects.toMatchObject({ class: 'unexpected_response' })
  })

  it('that the provider refuses is none', async () => {
    const { job, provider } = await opened(() => ({
      status: 400,
      body: [{ errorCode: 'INVALIDENTITY', message: 'No.' }],
    }))
    await using _ = provider
    expect(await job.submit()).toBeUndefined()
  })
})
