import { clientMetadata } from '@mortise/providers'
import { redirectUriOf } from './redirect-uri.ts'

/** Address of the document that describes Mortise as a client, for a project. It is the id of the client. */
export function clientDocumentUrl({ publicUrl }: { publicUrl: string }, projectId: string): string {
  return `${publicUrl}/callbacks/v1/oauth/clients/${projectId}`
}

/** What authorization servers learn about the client of a project. */
export function clientOf(services: { publicUrl: string }, appName: string | undefined) {
  return { name: appName ?? 'Mortise', redirectUri: redirectUriOf(services), homepage: services.publicUrl }
}

/** Returns the document (draft-ietf-oauth-client-id-metadata-document). The client has no secret. */
export function clientDocument(services: { publicUrl: string }, projectId: string, appName: string | undefined) {
  return {
    client_id: clientDocumentUrl(services, projectId),
    ...clientMetadata(clientOf(services, appName), 'none'),
  }
}
