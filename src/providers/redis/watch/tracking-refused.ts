/** The server or a proxy before it does not tell changes: this user may not ask, or it does not know how. */
export class TrackingRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TrackingRefused';
  }
}
