import { Type } from 'typebox'
import { Empty, endpoint, Path, Ref, reply, serializerOf } from '../../../../../kernel/http/index.ts'
import { getProjectRow, shownAppName } from '../../../../identity/projects/index.ts'
import { connectInfoOf } from '../../connect-info/connect-info.ts'
import { ConnectInfo } from '../../connect-info/model.ts'
import type { ConnectAssets } from '../assets.ts'
import { confinementOf, connectFormPath, openConnectSession } from '../connect-session.ts'
import { frameOriginsOf } from '../frame-origins.ts'
import { hostedPage } from '../hosted-page.ts'
import { languageScript } from '../language-script.ts'
import { pageHeaders, unknownPage } from '../page.ts'
import type { PageContextServices } from '../page-context.ts'

const toJson = serializerOf(ConnectInfo)

export const showConnectPage = endpoint({
  id: 'showConnectPage',
  method: 'GET',
  path: '//connect/{token}',
  access: 'public',
  summary: 'The page of a connect session, on which a customer connects an account.',
  description:
    'Made by `createConnectSession`. It shows the components. Without scripts, and if the scripts were not built, it leads to a form.',
  tag: 'Connections',
  extension: true,
  params: Path({ token: Ref }),
  produces: 'text/html; charset=utf-8',
  reply: { 200: Type.String(), 303: Empty, 404: Type.String() },
  run: async (
    { params: { token }, headers },
    { connectAssets, ...services }: PageContextServices & { connectAssets: ConnectAssets },
  ) => {
    const session = await openConnectSession(services, token)
    if (!session) {
      const page = unknownPage()
      return reply(404, page.text, page.headers)
    }
    const formPath = connectFormPath(token)
    const scripts = connectAssets.entries()
    if (scripts === undefined) return reply(303, null, { ...pageHeaders, location: formPath })
    const db = services.database.forProject(session.projectId)
    const who = { content: session.content, session }
    const [project, info] = await Promise.all([
      getProjectRow(db),
      connectInfoOf(db, services, { who, confinedTo: confinementOf(session) }),
    ])
    const language = session.content.language ?? project.connect_settings?.language
    const page = hostedPage({
      appName: shownAppName(project),
      logoUrl: project.logo_url ?? undefined,
      projectId: session.projectId,
      purpose: session.purpose,
      language,
      script: scripts.hosted,
      languageScript: languageScript(scripts, language, headers['accept-language']),
      info: toJson(info),
      formPath,
      frameOrigins: frameOriginsOf(project, session),
    })
    return reply(200, page.text, page.headers)
  },
})
