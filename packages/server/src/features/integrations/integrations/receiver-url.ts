/**
 * Where events come to: of one installation, and by which of its registrations; or of all of an integration (contract
 * 0.2).
 */
export function receiverUrl(
  { publicUrl }: { publicUrl: string },
  {
    projectId,
    integrationId,
    installationId,
    registrationId,
  }: { projectId: string; integrationId: string; installationId?: string; registrationId?: string },
): string {
  const base = `${publicUrl}/subscribe/v1/projects/${projectId}/integrations/${integrationId}`
  const url = installationId === undefined ? base : `${base}/installations/${installationId}`
  return registrationId === undefined ? url : `${url}?registration=${registrationId}`
}
