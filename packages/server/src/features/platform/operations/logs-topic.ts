/** What streams of a project's logs follow. */
export function logsTopic(projectId: string): string {
  return `logs:${projectId}`
}
