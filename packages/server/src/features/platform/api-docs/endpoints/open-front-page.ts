import { Empty, endpoint, reply } from '../../../../kernel/http/index.ts'

export const openFrontPage = endpoint({
  id: 'openFrontPage',
  method: 'GET',
  path: '//',
  access: 'public',
  summary: 'Redirect the address of the service to this reference.',
  tag: 'Reference',
  extension: true,
  reply: { 302: Empty },
  run: async () => reply(302, null, { location: '/docs' }),
})
