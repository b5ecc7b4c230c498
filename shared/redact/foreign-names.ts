// Names for passwords and secrets in languages other than English, in lower case. Data only.

export const foreignPasswords: readonly string[] = [
  ..."kennwort passord wachtwoord adgangskode losenord lösenord salasana contrasena".split(" "),
  ..."contraseña contrasenya senha palavra_passe motdepasse mot_de_passe mdp parola haslo hasło heslo".split(
    " ",
  ),
  ..."lozinka jelszo jelszó sifre şifre пароль 密码 密碼 口令 パスワード 비밀번호 암호".split(" "),
];

/** Names for keys and secrets: a value after one is hidden only if it looks random. */
export const foreignSecrets: readonly string[] = [
  ..."geheimnis schluessel schlüssel clave segredo chave segreto chiave cle_api clé_api klucz".split(" "),
  ..."ключ секрет токен 密钥 密鑰 令牌 秘密鍵 トークン".split(" "),
];

/**
 * Parts of those words that are rare in other words; the scan looks for these. Words that contain `pass` or `secret`
 * are found without them.
 */
export const foreignParts: readonly string[] = [
  ..."nnwort htwoord gangskode osenord ösenord lasana rasen raseñ senha mdp arola aslo asło heslo".split(" "),
  ..."ozinka elszo elszó sifre şifre пароль 密码 密碼 口令 パスワード 비밀번호 암호".split(" "),
  ..."eheimnis hluess hlüss lave gredo greto chave hiave le_api lé_api klucz".split(" "),
  // The scan finds a two-character text only before an ASCII character, so these are listed with the full-width colon.
  ..."密码： 密碼： 口令： 암호： 密钥： 密鑰： 令牌：".split(" "),
  ..."ключ секрет токен 密钥 密鑰 令牌 秘密鍵 トークン".split(" "),
];
