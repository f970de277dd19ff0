/** What streams of a project's messages follow. */
export function messagesTopic(projectId: string): string {
  return `messages:${projectId}`
}
