// What passwords and secrets are called in other languages than English, in lower case. Data only.

export const foreignPasswords: readonly string[] = [
  ..."passwort kennwort passord wachtwoord adgangskode losenord lösenord salasana contrasena".split(" "),
  ..."contraseña contrasenya senha palavra_passe motdepasse mot_de_passe mdp parola haslo hasło heslo".split(
    " ",
  ),
  ..."lozinka jelszo jelszó sifre şifre пароль 密码 密碼 口令 パスワード 비밀번호 암호".split(" "),
];

/** Names of keys and secrets: what follows them has to look random. */
export const foreignSecrets: readonly string[] = [
  ..."geheimnis schluessel schlüssel secreto clave segredo chave segreto chiave cle_api clé_api klucz".split(
    " ",
  ),
  ..."ключ секрет токен 密钥 密鑰 令牌 秘密鍵 トークン".split(" "),
];

/** A part of each of those words that is rare in other words: what a scan looks for. Words with `pass` or `secret` are found by that. */
export const foreignParts: readonly string[] = [
  ..."nnwort htwoord gangskode osenord ösenord lasana rasen raseñ senha mdp arola aslo asło heslo".split(" "),
  ..."ozinka elszo elszó sifre şifre пароль 密码 密碼 口令 パスワード 비밀번호 암호".split(" "),
  ..."eheimnis hluess hlüss lave gredo greto chave hiave le_api lé_api klucz".split(" "),
  // A text of two characters is looked for before one of ASCII.
  ..."密码： 密碼： 口令： 암호： 密钥： 密鑰： 令牌：".split(" "),
  ..."ключ секрет токен 密钥 密鑰 令牌 秘密鍵 トークン".split(" "),
];
