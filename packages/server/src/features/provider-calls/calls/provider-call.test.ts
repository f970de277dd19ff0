import { expect, it } from 'vitest'
import { callDetails, providerCall } from './provider-call.ts'

const sent = { method: 'GET', status: 200, ms: 12.4, bytes: 100 }

it('shows neither the query nor the credential of a request', () => {
  const call = providerCall({ ...sent, url: 'https://api.example.com/bot-s3cret%20key/send?token=s3cret' }, [
    's3cret key',
  ])
  expect(callDetails([call])).toEqual({ request: 'GET /bot-[secret]/send', status: '200', ms: '12', bytes: '100' })
})

it('shows the last of several requests, with the sums of all', () => {
  const first = providerCall({ ...sent, status: 401, url: 'https://api.example.com/a' }, [])
  const second = providerCall({ ...sent, status: undefined, url: `https://api.example.com/${'b'.repeat(600)}` }, [])
  expect(callDetails([first, second])).toEqual({
    request: `GET /${'b'.repeat(499)}`,
    requests: '2',
    ms: '25',
    bytes: '200',
  })
  expect(callDetails([])).toEqual({})
})
