import { testSearches } from './search-cases.testkit.ts'

/** Searches of candidates and jobs, as the documentation of each provider shows them. */

const ada = 'ada@example.com'

testSearches([
  {
    provider: 'ashby',
    object: 'candidate',
    by: { "$['primaryEmailAddress']['value']": ada },
    asks: 'POST /candidate.search {"email":"ada@example.com"}',
    answer: {
      success: true,
      results: [
        { id: 'c1', primaryEmailAddress: { value: ada } },
        { id: 'c2', primaryEmailAddress: { value: 'old@example.com' } },
      ],
    },
    finds: ['c1'],
  },
  {
    provider: 'ashby',
    object: 'job',
    by: { title: 'Engineer' },
    asks: 'POST /job.search {"title":"Engineer"}',
    answer: {
      success: true,
      results: [
        { id: 'j1', title: 'Engineer' },
        { id: 'j2', title: 'Engineer II' },
      ],
    },
    finds: ['j1'],
  },
  {
    provider: 'lever',
    object: 'opportunities',
    by: { emails: ada },
    asks: 'GET /v1/opportunities?limit=100&confidentiality=all&email=ada@example.com',
    answer: { data: [{ id: 'o1', emails: [ada] }], hasNext: false },
    finds: ['o1'],
  },
  {
    provider: 'workable',
    object: 'jobs',
    by: { state: 'published' },
    asks: 'GET /jobs?limit=100&state=published',
    answer: { jobs: [{ id: '61', shortcode: 'GROOV', state: 'published' }], paging: {} },
    finds: ['GROOV'],
  },
])
