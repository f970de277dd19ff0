import {
  type CustomSources,
  customScheme,
  CustomAuthRefused as Refused,
  runSteps,
  schemeName,
  CustomAuthUnavailable as Unavailable,
} from '@mortise/providers'
import type { NewId, ProjectDb } from '../../../../kernel/db/index.ts'
import { entryOfConnection, metadataValues } from '../../connection-inputs/index.ts'
import { checkedAfterwards, saveConnection } from '../../connections/index.ts'
import { customCredential } from '../../credentials/index.ts'
import { createCustomHttp, findCustomApp, mintCustomToken, TokenRefused, TokenUnavailable } from '../../tokens/index.ts'
import { CustomAuthRefused, CustomAuthSessionEnded, CustomAuthUnavailable } from './problems.ts'
import { customRedirectUri } from './redirect-uri.ts'
import { keepSession, newSecret, type Session } from './session.ts'

export type StepServices = Parameters<typeof checkedAfterwards>[1] & { newId: NewId; publicUrl: string }

/**
 * Runs the steps of multi-step authentication until the browser must be redirected or the account is connected. No
 * transaction is open during a request to the provider.
 *
 * @param params the parameters of the provider's callback
 * @throws CustomAuthRefused, CustomAuthUnavailable, CustomAuthSessionEnded
 */
export async function runAuthenticationSteps(
  db: ProjectDb,
  services: StepServices,
  session: Session,
  { params, signal }: { params: Record<string, string> | undefined; signal: AbortSignal },
): Promise<{ redirect: { url: string; sessionId: string } } | { connectionId: string }> {
  const entry = entryOfConnection(services.catalogue, {
    provider: session.provider,
    scheme_name: session.schemeName ?? null,
  })
  if (!entry) throw new CustomAuthSessionEnded()
  const { workspaceRef, providerAppId, values, progress } = session
  const metadata = metadataValues(session.providerMetadata)
  const app = await findCustomApp(db, services, entry, providerAppId)
  const sources: CustomSources = { metadata, workspaceRef, app: app.values, values }
  const outcome = await asProblem(() =>
    runSteps(entry, sources, progress, params, {
      http: createCustomHttp(services, db.projectId),
      now: () => services.now().getTime(),
      signal,
      redirectUri: customRedirectUri(services),
      newState: newSecret,
    }),
  )
  if ('redirect' in outcome) {
    const sessionId = await keepSession(db, services, { ...session, progress: outcome.progress })
    return { redirect: { url: outcome.redirect, sessionId } }
  }
  const scheme = customScheme(entry)
  const kept = customCredential(entry, { ...values, ...outcome.taken })
  const account = { entry, metadata, workspaceRef, providerAppId }
  const credential =
    kept.token === undefined ? kept : await asProblem(() => mintCustomToken(db, services, account, kept, { signal }))
  const connectionId = await checkedAfterwards(db, services, { wait: true, signal }, (tx) =>
    saveConnection(tx, services, {
      provider: session.provider,
      groupRef: session.groupRef,
      groupName: session.groupName,
      consumerRef: session.consumerRef,
      consumerName: session.consumerName,
      providerWorkspaceRef: workspaceRef,
      providerMetadata: session.providerMetadata,
      providerAppId,
      // The enum of `interface.md` has no value for it. The catalog's `authType` identifies the scheme.
      authScheme: 'apiKey',
      schemeName: scheme && schemeName(scheme),
      credential,
    }),
  )
  return { connectionId }
}

/** Converts a refusal or failure of the provider to a problem. Its sentences are public and contain no secret. */
async function asProblem<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    if (cause instanceof Refused || cause instanceof TokenRefused)
      throw new CustomAuthRefused({ cause, detail: cause.message })
    if (cause instanceof Unavailable || cause instanceof TokenUnavailable)
      throw new CustomAuthUnavailable({ cause, detail: cause.message })
    throw cause
  }
}
