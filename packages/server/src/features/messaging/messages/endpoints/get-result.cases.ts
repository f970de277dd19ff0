import { signUrl } from '../../../../kernel/encryption/index.ts'
import { casesOf } from '../../../../testkit/cases.ts'
import { project, publicUrl } from '../../../../testkit/world.ts'
import { postMessage } from '../post-message.testkit.ts'
import { getResult } from './get-result.ts'

export const cases = casesOf(getResult, {
  status: 403,
  example: {
    status: 200,
    request: async ({ app, make }) => {
      await postMessage(app, Buffer.from('[{"fields":{"email":"ada@acme.example"}}]'))
      const [newest] = await make<{ id: string }[]>('GET', `${project}/messages?destination=hook`)
      const resultId = newest!.id
      const url = signUrl({
        key: app.keyring.derive('signed-url'),
        baseUrl: publicUrl,
        path: `/results/${resultId}`,
        expiresAt: new Date(Date.now() + 60_000),
        claims: { project: app.projectId },
      })
      return { params: { resultId }, query: Object.fromEntries(new URL(url).searchParams) }
    },
  },
})
