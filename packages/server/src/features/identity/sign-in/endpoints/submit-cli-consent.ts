import { makeCode } from '../cli-code.ts'
import { cliAddress, noCliRequest, readCliRequest } from '../cli-request.ts'
import { sentForm } from '../page-endpoint.ts'

export const submitCliConsent = sentForm({
  id: 'submitCliConsent',
  path: '//signin/cli',
  audit: { exempt: 'makes a code; exchanging it for a session leaves an entry' },
  summary: 'Send the browser back to a command line with a code.',
  run: async ({ form, owner }, services) => {
    const request = readCliRequest((name) => form.get(name))
    if (!request) return noCliRequest()
    if (!owner) return { to: '/signin' }
    const code = await makeCode(services, {
      builderId: owner.builderId,
      challenge: request.challenge,
      method: owner.method,
    })
    return { to: `http://${cliAddress(request)}/callback?${new URLSearchParams({ code, state: request.state })}` }
  },
})
