/** Another holder has taken the write over, or its installation is gone; nothing of this one may be settled. */
export class LostRun extends Error {
  override name = 'LostRun'
}
